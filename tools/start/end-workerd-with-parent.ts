import { ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { platform } from "node:process";
import * as z from "zod";

/** https://nodejs.org/api/diagnostics_channel.html#event-child_process */
const started = z.object({ process: z.instanceof(ChildProcess) });

/**
 * Ends workerd even after `kill -9`, or it would keep the database's files open during the next start: a shell reads
 * from a pipe that closes when this process ends. Does nothing on Windows, which has no such shell.
 */
export function endWorkerdWithThisProcess(): void {
  if (platform === "win32") return;
  subscribe("child_process", (message) => {
    const { process: child } = started.parse(message);
    child.once("spawn", () => {
      if (!child.spawnfile.includes("workerd")) return;
      const killer = spawn("/bin/sh", ["-c", `read -r line; kill -9 ${child.pid}`], {
        detached: true,
        stdio: ["pipe", "ignore", "ignore"],
      });
      killer.unref();
      child.once("exit", () => killer.kill("SIGKILL"));
    });
  });
}
