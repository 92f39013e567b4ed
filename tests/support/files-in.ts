import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/wrangler/wrangler";

/** Files and folders below a folder, as paths from the repository's root. They have slashes on Windows too, as in imports. */
export function filesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.map((name) => join(folder, name).replaceAll("\\", "/"));
}
