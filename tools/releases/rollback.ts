import { fileURLToPath } from "node:url";
import * as z from "zod";
import { readCommandLine } from "../command-line";
import { runTool, ToolError } from "../failures";
import { apiOf } from "../operator/call-api";
import { databaseOf } from "../preflight/account";
import { settingsOf, siteAloneLine, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, failureIn, runWrangler, STAGES, type Stage } from "../wrangler/wrangler";
import { changesPrices, packagesAt, priceChanges, pricesStep } from "./prices";
import { runSteps, type Step } from "./steps";

// npm run rollback production {commit}, or staging: rolls both Workers back to a commit's versions, and the catalog to its prices.

/** Tags have 12 digits; a full commit hash is cut to that length. */
const COMMIT = /^[\da-f]{12}(?=[\da-f]*$)/;

const annotations = z.object({ "workers/tag": z.string().optional(), "workers/triggered_by": z.string().optional() });
const versions = z.array(
  z.object({ id: z.string(), metadata: z.object({ created_on: z.string() }), annotations: annotations.prefault({}) }),
);

/**
 * @param list the output of `wrangler versions list --json`
 * @returns `hasOldSecrets`: a secret has changed since, which created a version without a tag
 */
export function versionTagged(tag: string, list: string): { id: string; hasOldSecrets: boolean } | undefined {
  const sorted = versions
    .parse(JSON.parse(list))
    .sort((one, other) => one.metadata.created_on.localeCompare(other.metadata.created_on));
  const index = sorted.findLastIndex((version) => version.annotations["workers/tag"] === tag);
  const later = sorted.slice(index + 1).map((version) => version.annotations["workers/triggered_by"]);
  return sorted[index] && { id: sorted[index].id, hasOldSecrets: later.includes("secret") };
}

/** Runs Wrangler for a Worker and returns its output. Throws ToolError with Wrangler's message if it fails. */
function wranglerIn(stage: Stage, folder: Folder, ...args: string[]): string {
  const { succeeded, stdout, output } = runWrangler(args, { stage, folder });
  if (!succeeded) throw new ToolError(`✗ ${failureIn(output)}`);
  return stdout;
}

/** A commit's version, if it has the current secrets. Throws ToolError if there is none. */
function versionOf(title: string, folder: Folder, stage: Stage, commit: string): string {
  const list = wranglerIn(stage, folder, "versions", "list", "--json");
  const version = versionTagged(commit, list.slice(list.search(/^\[/m)));
  if (!version) throw new ToolError(`✗ ${title}: no version has the tag ${commit}.`);
  if (!version.hasOldSecrets) return version.id;
  throw new ToolError(
    `✗ ${title}: a secret has changed since, and this version has the old one. Deploy the commit with the current secrets: git switch --detach ${commit} && npm install && npm run deploy ${stage}`,
  );
}

/**
 * Rolls back the site before the API, because it may call routes that only the newer API has. The newer API also sets the prices.
 * Changes nothing unless each Worker has the version.
 * @param keepsPrices leaves the catalog alone, for an API that does not answer. The API refuses sign-ups below its own price.
 */
async function prepare(stage: Stage, commit: string, keepsPrices: boolean): Promise<Step[]> {
  const workers = settingsOf(stage);
  console.log(`${stage}: ${urlIn(workers.site, "SITE_URL")}, back to ${commit}`);
  const site = back("site", ".", stage, commit);
  if (workers.api === undefined) {
    console.log(siteAloneLine(workers.site));
    return [site];
  }
  const api = back("subscription API", API_FOLDER, stage, commit);
  const changes = keepsPrices
    ? priceChanges([], [])
    : priceChanges(await packagesAt(commit), databaseOf(stage).packages);
  for (const sentence of changes.sentences) console.log(`  ${sentence}`);
  const operator = changesPrices(changes) ? apiOf(stage) : undefined;
  const otherwise = ` If the API does not answer, add -- --keep-prices to the command below.`;
  return [
    ...pricesStep(operator, changes.beforeSite, { otherwise }),
    site,
    ...pricesStep(operator, changes.afterSite, { retired: changes.retired, otherwise }),
    api,
  ];
}

/** The step that makes a commit's version live. Throws ToolError if there is none. */
function back(title: string, folder: Folder, stage: Stage, commit: string): Step {
  const id = versionOf(title, folder, stage, commit);
  return {
    result: `${title}: commit ${commit}`,
    run() {
      wranglerIn(stage, folder, "rollback", id, "--message", `Rolled back to ${commit}`, "--yes");
      console.log(`✓ ${title}: version ${id} of ${commit} is live in ${stage}`);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    const shape = { script: "rollback", targets: STAGES, word: "commit", options: { "keep-prices": "" } };
    const { target, word, switches } = readCommandLine(shape);
    const [commit] = COMMIT.exec(word) ?? [];
    if (commit === undefined) throw new ToolError(`"${word}" is not a commit: type 12 or more digits of its hash.`);
    const keepsPrices = switches.has("keep-prices");
    const again = `npm run rollback ${target} ${commit}${keepsPrices ? " -- --keep-prices" : ""}`;
    const commands = { again, next: `npm run smoke ${target}` };
    const succeeded = await runSteps(target, () => prepare(target, commit, keepsPrices), commands);
    if (succeeded) console.log("You cannot set secrets until the next deployment.");
    return succeeded;
  });
}
