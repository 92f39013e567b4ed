import { accessSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import { ToolError } from "../failures";
import { root } from "../wrangler/wrangler";
import { DEFAULT_PORT } from "./addresses";

/** Each port has its own, because SQLite refuses a second process that writes. Test mode has other prices. */
export function stateFolderOf(port: number, isTestMode: boolean): string {
  const name = ["state", ...(isTestMode ? ["test-mode"] : []), ...(port === DEFAULT_PORT ? [] : [port])].join("-");
  return join(root, ".wrangler", name);
}

/** Creates the folder if it is missing. Throws ToolError if this user cannot write to it or to a file in it. */
export function makeWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
    for (const path of [folder, ...paths]) accessSync(path, constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "path" in error)) throw error;
    if (error.code === "ENOSPC") throw new ToolError(DISK_IS_FULL);
    const path = existingPartOf(String(error.path));
    const takeOver =
      platform === "win32"
        ? "let this user write there"
        : `make this user its owner with sudo chown -R "$USER" "${path}"`;
    const remedy =
      error.code === "EROFS"
        ? "copy or clone the repository into a folder that can be written"
        : `${takeOver}, or use a copy of the repository that is yours`;
    throw new ToolError(`${path} cannot be written (${error.code}): ${remedy}.`);
  }
}

export const DISK_IS_FULL = "The disk is full: free some space, then start again. Nothing needs to be deleted here.";

function existingPartOf(path: string): string {
  return existsSync(path) ? path : existingPartOf(dirname(path));
}
