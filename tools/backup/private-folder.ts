import { realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { ToolError } from "../failures";
import { newTemporaryFolder } from "../wrangler/temporary-folder";
import { root } from "../wrangler/wrangler";

/** `unlessStopped` throws ToolError after Ctrl-C or another end of this process, also one during a call that blocks. */
type Private = { folder: string; signal: AbortSignal; unlessStopped: () => Promise<void> };

const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Works in a new folder that only this user can read, removed also after a failure or Ctrl-C. Throws ToolError if it
 * would be inside the checkout, where a plain copy could be committed.
 */
export async function inPrivateFolder<T>(work: (place: Private) => Promise<T>): Promise<T> {
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
  const folder = newTemporaryFolder();
  const stopped = new ToolError("✗ Stopped. Nothing was kept on this machine.");
  const unlessStopped = async () => {
    // Signals arrive between two turns of the event loop.
    await turn();
    await turn();
    if (controller.signal.aborted) throw stopped;
  };
  try {
    return await work({ folder, signal: controller.signal, unlessStopped });
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
