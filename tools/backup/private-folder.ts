import { realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { ToolError } from "../failures";
import { root } from "../wrangler/wrangler";

/** `unlessStopped` throws ToolError after Ctrl-C or another end of this process, also one during a call that blocks. */
type Private = { folder: string; signal: AbortSignal; unlessStopped: () => Promise<void> };

const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Does work in a new folder that only this user can read, and removes it, also after a failure or Ctrl-C.
 * Throws ToolError if the folder for temporary files is inside the checkout, where a plain copy could be committed.
 */
export async function inPrivateFolder(work: (place: Private) => Promise<void>): Promise<void> {
  const temporary = realpathSync(tmpdir());
  if (isInside(temporary, realpathSync(root)))
    throw new ToolError(
      `✗ The folder for temporary files, ${temporary}, is inside the checkout: set TMPDIR, or on Windows TEMP, to another.`,
    );
  const controller = new AbortController();
  const end = () => controller.abort();
  // Wrangler's library ends the process at once.
  const others = ENDS.map((name) => ({ name, listeners: process.listeners(name) }));
  for (const name of ENDS) process.removeAllListeners(name).on(name, end);
  // Node makes it with mode 0700.
  const folder = await mkdtemp(join(temporary, "database-"));
  const stopped = new ToolError("✗ Stopped. Nothing was kept on this machine.");
  const unlessStopped = async () => {
    // Signals arrive between two turns of the event loop.
    await turn();
    await turn();
    if (controller.signal.aborted) throw stopped;
  };
  try {
    await work({ folder, signal: controller.signal, unlessStopped });
  } catch (error) {
    await unlessStopped();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
    for (const { name, listeners } of others) {
      process.off(name, end);
      for (const listener of listeners) process.on(name, listener);
    }
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !/^(?:\.\.(?:[\\/]|$)|[A-Za-z]:|[\\/])/.test(way);
}
