import { fileURLToPath } from "node:url";
import * as z from "zod";
import { readCommandLine } from "../command-line";
import { runTool, ToolError } from "../failures";
import { apiOf } from "../operator/call-api";
import { databaseOf } from "../preflight/account";
import { settingsOf, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, failureIn, runWrangler, STAGES, type Stage } from "../wrangler/wrangler";
import { changesPrices, packagesAt, priceChanges, setPrices } from "./prices";

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
  if (!version) throw new ToolError(`✗ ${title}: no version has the tag ${commit}. Nothing was changed.`);
  if (!version.hasOldSecrets) return version.id;
  throw new ToolError(
    `✗ ${title}: a secret has changed since, and this version has the old one. Nothing was changed. Deploy the commit with the current secrets: git switch --detach ${commit} && npm install && npm run deploy ${stage}`,
  );
}

/**
 * Rolls back the site first, because it may call routes that only the newer API has. The newer API also sets the prices. Changes
 * nothing unless both Workers have the version.
 * @param keepsPrices leaves the catalog alone, for an API that does not answer. The API refuses sign-ups below its own price.
 */
async function rollBack(stage: Stage, commit: string, keepsPrices: boolean): Promise<boolean> {
  console.log(`${stage}: ${urlIn(settingsOf(stage).site, "SITE_URL")}, back to ${commit}`);
  const site = versionOf("site", ".", stage, commit);
  const api = versionOf("subscription API", API_FOLDER, stage, commit);
  const changes = keepsPrices
    ? priceChanges([], [])
    : priceChanges(await packagesAt(commit), databaseOf(stage).packages);
  for (const sentence of changes.sentences) console.log(`  ${sentence}`);
  const operator = changesPrices(changes) ? apiOf(stage) : undefined;
  const set = (changed: typeof changes.beforeSite, otherwise: string) =>
    operator && setPrices(operator, changed, otherwise);
  const back = (title: string, folder: Folder, id: string) => {
    wranglerIn(stage, folder, "rollback", id, "--message", `Rolled back to ${commit}`, "--yes");
    console.log(`✓ ${title}: version ${id} of ${commit} is live in ${stage}`);
  };
  const again = `npm run rollback ${stage} ${commit}`;
  await set(changes.beforeSite, `Nothing was changed. If the API does not answer: ${again} -- --keep-prices`);
  back("site", ".", site);
  await set(
    changes.afterSite,
    `The site is rolled back, the API is not, and the lower prices are charged. To continue: ${again}`,
  );
  back("subscription API", API_FOLDER, api);
  console.log("You cannot set secrets until the next deployment.");
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const shape = { script: "rollback", targets: STAGES, word: "commit", options: { "keep-prices": "" } };
    const { target, word, switches } = readCommandLine(shape);
    const [commit] = COMMIT.exec(word) ?? [];
    if (commit === undefined) throw new ToolError(`"${word}" is not a commit: type 12 or more digits of its hash.`);
    return rollBack(target, commit, switches.has("keep-prices"));
  });
}
