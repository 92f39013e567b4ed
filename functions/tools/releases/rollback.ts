import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runTool, ToolError } from "../failures";
import { API_FOLDER, type Folder, runWrangler, wranglerCommand } from "../wrangler";
import { failureIn } from "../wrangler-output";
import { settingsOf, stageOf } from "./stages";

// npm run rollback -- {commit}: both Workers go back to what was deployed of a commit. --staging, --only site.

const folders = new Map<string, Folder>([
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

function rollBack(): boolean {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { staging: { type: "boolean" }, production: { type: "boolean" }, only: { type: "string" } },
  });
  const stage = stageOf(values);
  const [commit] = positionals;
  const chosen = [...folders].filter(([name]) => values.only === undefined || values.only === name);
  if (commit === undefined || chosen.length === 0) {
    throw new ToolError("npm run rollback -- {commit} [--staging] [--only site|subscription-api]");
  }
  // A file that is no TOML is said so here.
  settingsOf(stage);
  const found = chosen.map(([name, folder]) => {
    const { succeeded, stdout, stderr } = runWrangler(["versions", "list", "--json"], { stage, folder });
    if (!succeeded) {
      const { sentence } = failureIn(`${stderr}\n${stdout}`, { stage, folder });
      throw new ToolError(`✗ ${name}: ${sentence} Nothing was changed.`);
    }
    return { name, folder, id: versionTagged(commit, stdout.slice(stdout.search(/^\[/m))) };
  });
  const missing = found.filter(({ id }) => id === undefined);
  if (missing.length > 0) {
    const lists = missing.map(({ folder }) => wranglerCommand("versions list", stage, folder)).join(" && ");
    const names = missing.map(({ name }) => name).join(", ");
    throw new ToolError(`✗ ${names}: no version has the tag ${commit}. Nothing was changed. The tags: ${lists}`);
  }
  // The site first: it may call what only the newer API has.
  for (const { name, id, folder } of found) {
    const args = ["rollback", String(id), "--message", `Rolled back to ${commit}`, "--yes"];
    const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
    if (!succeeded) {
      const { sentence } = failureIn(`${stderr}\n${stdout}`, { stage, folder });
      throw new ToolError(`✗ ${name}: ${sentence}`);
    }
    console.log(`✓ ${name}: version ${id} of ${commit} is live in ${stage}`);
  }
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runTool(rollBack);
