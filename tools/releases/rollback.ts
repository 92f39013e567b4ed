import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runTool, ToolError } from "../failures";
import { stageOf } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, failureIn, runWrangler, type Stage } from "../wrangler/wrangler";

// npm run rollback -- {commit}: both Workers go back to the versions of a commit. --staging.

/** The tag's length; a full commit hash is cut to it. */
const COMMIT = /^[\da-f]{12}(?=[\da-f]*$)/;

const annotations = z.object({ "workers/tag": z.string().optional(), "workers/triggered_by": z.string().optional() });
const versions = z.array(
  z.object({ id: z.string(), metadata: z.object({ created_on: z.string() }), annotations: annotations.prefault({}) }),
);

/**
 * @param list the output of `wrangler versions list --json`
 * @returns `hasOldSecrets`: a secret was changed since, which made a version without a tag
 */
export function versionTagged(tag: string, list: string): { id: string; hasOldSecrets: boolean } | undefined {
  const sorted = versions
    .parse(JSON.parse(list))
    .sort((one, other) => one.metadata.created_on.localeCompare(other.metadata.created_on));
  const index = sorted.findLastIndex((version) => version.annotations["workers/tag"] === tag);
  const later = sorted.slice(index + 1).map((version) => version.annotations["workers/triggered_by"]);
  return sorted[index] && { id: sorted[index].id, hasOldSecrets: later.includes("secret") };
}

/** The site first: it may call routes of the newer API only. Nothing is changed unless both Workers have the version. */
function rollBack(stage: Stage, commit: string): boolean {
  const run = (folder: Folder, ...args: string[]) => {
    const { succeeded, stdout, output } = runWrangler(args, { stage, folder });
    if (!succeeded) throw new ToolError(`✗ ${failureIn(output)}`);
    return stdout;
  };
  const found = ([".", API_FOLDER] as const).map((folder) => {
    const title = folder === "." ? "site" : "subscription API";
    const list = run(folder, "versions", "list", "--json");
    const version = versionTagged(commit, list.slice(list.search(/^\[/m)));
    if (version && !version.hasOldSecrets) return { title, folder, id: version.id };
    throw new ToolError(
      version
        ? `✗ ${title}: a secret was changed since, and this version has the old one. Nothing was changed. Deploy the commit with today's secrets: git switch --detach ${commit} && npm install && npm run deploy -- --${stage}`
        : `✗ ${title}: no version has the tag ${commit}. Nothing was changed.`,
    );
  });
  for (const { title, folder, id } of found) {
    run(folder, "rollback", id, "--message", `Rolled back to ${commit}`, "--yes");
    console.log(`✓ ${title}: version ${id} of ${commit} is live in ${stage}`);
  }
  console.log("Until the next deployment no secret can be set.");
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const options = { staging: { type: "boolean" }, production: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [commit] = COMMIT.exec(positionals[0] ?? "") ?? [];
    if (commit === undefined) throw new ToolError("npm run rollback -- {commit, 12 digits or more} [--staging]");
    return rollBack(stageOf(values), commit);
  });
}
