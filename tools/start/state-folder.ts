import { accessSync, constants, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../failures";

/** Creates the folder if it is missing. Throws ToolError if this user cannot write to it or to a file in it. */
export function makeWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
    for (const path of [folder, ...paths]) accessSync(path, constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "path" in error)) throw error;
    throw new ToolError(
      `${error.path} cannot be written (${error.code}): delete it, or make this user its owner with sudo chown -R "$USER" "${folder}".`,
    );
  }
}
