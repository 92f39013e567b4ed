import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { API_FOLDER, root, stageOf } from "./stages";

// npm run rollback -- {commit}: both Workers go back to what was deployed of a commit. --staging, --only site.

const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");

const folders = new Map([
  ["site", "."],
  ["subscription-api", API_FOLDER],
]);

const versions = z.array(
  z.object({
    id: z.string(),
    metadata: z.object({ created_on: z.string() }),
    annotations: z.object({ "workers/tag": z.string().optional() }).optional(),
  }),
);

/**
 * The id of the newest version with a tag. A changed secret makes a version without one, so it is never that.
 * @param list what `wrangler versions list --json` prints
 */
export function versionTagged(tag: string, list: string): string | undefined {
  return versions
    .parse(JSON.parse(list))
    .filter(({ annotations }) => annotations?.["workers/tag"] === tag)
    .sort((one, other) => one.metadata.created_on.localeCompare(other.metadata.created_on))
    .at(-1)?.id;
}

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { staging: { type: "boolean" }, only: { type: "string" } },
  });
  const [commit] = positionals;
  const chosen = [...folders].filter(([name]) => values.only === undefined || values.only === name);
  if (commit === undefined || chosen.length === 0) {
    console.error("npm run rollback -- {commit} [--staging] [--only site|subscription-api]");
    return 1;
  }
  const found = chosen.map(([name, folder]) => {
    const options = ["--env", stageOf(values), "--cwd", folder];
    const { status, stdout } = wranglerWith(["versions", "list", "--json", ...options], "pipe");
    const id = status === 0 ? versionTagged(commit, stdout.slice(stdout.search(/^\[/m))) : undefined;
    return { name, id, options };
  });
  const missing = found.filter(({ id }) => id === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    console.error(`No version with the tag ${commit}: ${missing.join(", ")}. Nothing was changed.`);
    return 1;
  }
  // The site first: it may call what only the newer API has.
  for (const { id, options } of found) {
    const message = `Rolled back to ${commit}`;
    const { status } = wranglerWith(["rollback", String(id), "--message", message, "--yes", ...options], "inherit");
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

function wranglerWith(args: string[], output: "pipe" | "inherit") {
  const env = { ...process.env, WRANGLER_HIDE_BANNER: "true" };
  const stdio = ["inherit", output, "inherit"] as const;
  return spawnSync(process.execPath, [wrangler, ...args], { cwd: root, encoding: "utf8", env, stdio: [...stdio] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
