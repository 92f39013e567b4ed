import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

// A process of its own, started by processes.ts. It outlives `npm start` where that is killed, sees its pipe end, and ends
// the process groups that are left. Each line is `+{group}`, `-{group}`, or `rm {folder}`.

const groups = new Set();
const folders = new Set();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line.startsWith("+")) groups.add(Number(line.slice(1)));
    else if (line.startsWith("-")) groups.delete(Number(line.slice(1)));
    else if (line.startsWith("rm ")) folders.add(line.slice(3));
  })
  .on("close", () => {
    for (const group of groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // Already ended.
      }
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

// A closed terminal and Ctrl-C are for npm start, which then closes the pipe.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
