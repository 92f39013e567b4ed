import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runTool, ToolError } from "../failures";
import { API_FOLDER, type Folder, runWrangler, type Stage, scriptCommand, wranglerCommand } from "../wrangler/wrangler";
import { failureIn } from "../wrangler/wrangler-output";
import { settingsOf, stageOf } from "./deployment-stages";

// npm run rollback -- {commit}: both Workers go back to the versions of a commit. --staging, --only site,
// --old-secrets.

const USAGE = "npm run rollback -- {commit} [--staging] [--only site|subscription-api] [--old-secrets]";
/** The tag's length; a full commit hash is cut to it. */
const COMMIT = /^[\da-f]{12}(?=[\da-f]*$)/;

const folders = new Map<string, Folder>([
  ["site", "."],
  ["subscription-api", API_FOLDER],
]);

const versions = z.array(
  z.object({
    id: z.string(),
    metadata: z.object({ created_on: z.string() }),
    annotations: z
      .object({ "workers/tag": z.string().optional(), "workers/triggered_by": z.string().optional() })
      .optional(),
  }),
);

/** @param list the output of `wrangler versions list --json`; a changed secret makes a version without a tag */
export function versionTagged(tag: string, list: string): { id: string; hasOldSecrets: boolean } | undefined {
  const sorted = versions
    .parse(JSON.parse(list))
    .sort((one, other) => one.metadata.created_on.localeCompare(other.metadata.created_on));
  const index = sorted.findLastIndex(({ annotations }) => annotations?.["workers/tag"] === tag);
  const found = sorted[index];
  if (!found) return undefined;
  const later = sorted.slice(index + 1).map(({ annotations }) => annotations?.["workers/triggered_by"]);
  return { id: found.id, hasOldSecrets: later.includes("secret") };
}

function rollBack(): boolean {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      staging: { type: "boolean" },
      production: { type: "boolean" },
      only: { type: "string" },
      "old-secrets": { type: "boolean", default: false },
    },
  });
  const stage = stageOf(values);
  const commit = COMMIT.exec(positionals[0] ?? "")?.[0] ?? positionals[0];
  const chosen = [...folders].filter(([name]) => values.only === undefined || values.only === name);
  if (commit === undefined || chosen.length === 0) {
    throw new ToolError(USAGE);
  }
  settingsOf(stage);
  const found = chosen.map(([name, folder]) => {
    const { succeeded, stdout, stderr } = runWrangler(["versions", "list", "--json"], { stage, folder });
    if (!succeeded) {
      const { sentence } = failureIn(`${stderr}\n${stdout}`, { stage, folder });
      throw new ToolError(`✗ ${name}: ${sentence} Nothing was changed.`);
    }
    return { name, folder, version: versionTagged(commit, stdout.slice(stdout.search(/^\[/m))) };
  });
  const missing = found.filter(({ version }) => version === undefined);
  if (missing.length > 0) {
    const lists = missing.map(({ folder }) => wranglerCommand("versions list", stage, folder)).join(" && ");
    const names = missing.map(({ name }) => name).join(", ");
    throw new ToolError(`✗ ${names}: no version has the tag ${commit}. Nothing was changed. The tags: ${lists}`);
  }
  const redeploy = `git switch --detach ${commit} && npm install && ${deployCommand(stage)}`;
  const old = found.filter(({ version }) => version?.hasOldSecrets).map(({ name }) => name);
  if (old.length > 0 && !values["old-secrets"]) {
    throw new ToolError(
      `✗ ${old.join(", ")}: a secret was changed since, and the version of ${commit} has the old one. Nothing was changed. If the old one still works, add --old-secrets; if not, deploy the commit, which keeps the secrets: ${redeploy}`,
    );
  }
  // The site first: it may call routes of the newer API only.
  for (const { name, version, folder } of found) {
    const id = String(version?.id);
    const args = ["rollback", id, "--message", `Rolled back to ${commit}`, "--yes"];
    const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
    if (!succeeded) {
      const { sentence } = failureIn(`${stderr}\n${stdout}`, { stage, folder });
      throw new ToolError(`✗ ${name}: ${sentence}`);
    }
    console.log(`✓ ${name}: version ${id} of ${commit} is live in ${stage}`);
  }
  console.log(`Until the next deployment no secret can be set. To set one: ${redeploy}`);
  return true;
}

function deployCommand(stage: Stage): string {
  return `${scriptCommand("deploy", stage)}${stage === "production" ? " -- --untried" : ""}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runTool(rollBack);
