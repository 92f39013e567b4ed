import { ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { platform } from "node:process";
import * as z from "zod";

/** https://nodejs.org/api/diagnostics_channel.html#event-child_process */
const started = z.object({ process: z.instanceof(ChildProcess) });

/**
 * Ends each workerd that this process starts from now on together with it, also after `kill -9`: otherwise workerd would keep
 * the database's files open beside the next start's. A shell waits for the end of a pipe, whose other end is here. Not on
 * Windows, which has no such shell.
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
