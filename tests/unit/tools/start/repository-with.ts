import { cp, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WORKERS, workerNames } from "../../../../tools/build";
import { root } from "../../../../tools/wrangler/wrangler";

/** A folder with the repository's wrangler.toml files, and others by their paths. */
export async function repositoryWith(files: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  for (const { folder: of } of workerNames.map((name) => WORKERS[name])) {
    await cp(join(root, of, "wrangler.toml"), join(folder, of, "wrangler.toml"));
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}
