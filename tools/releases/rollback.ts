import * as z from "zod";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { apiOf } from "../operator/call-api";
import { answerIn, databaseOf } from "../preflight/account";
import { siteAloneLine, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, failureIn, STAGES, type Stage } from "../wrangler/wrangler";
import { changesPrices, packagesAt, priceChanges, pricesStep } from "./prices";
import { runSteps, type Step } from "./steps";

// npm run rollback production {commit}, or staging: rolls both Workers back to a commit's versions, and the catalog to its prices.

/** Tags have 12 digits; a full commit hash is cut to that length. */
const COMMIT = /^[\da-f]{12}(?=[\da-f]*$)/;

const annotations = z.object({ "workers/tag": z.string().optional(), "workers/triggered_by": z.string().optional() });
const versions = z.array(
  z.object({ id: z.string(), metadata: z.object({ created_on: z.string() }), annotations: annotations.prefault({}) }),
);

/** `hasOldSecrets`: a secret has changed since, which created a version without a tag. */
function versionTagged(
  tag: string,
  all: z.output<typeof versions>,
): { id: string; hasOldSecrets: boolean } | undefined {
  const sorted = all.sort((one, other) => one.metadata.created_on.localeCompare(other.metadata.created_on));
  const index = sorted.findLastIndex((version) => version.annotations["workers/tag"] === tag);
  const later = sorted.slice(index + 1).map((version) => version.annotations["workers/triggered_by"]);
  return sorted[index] && { id: sorted[index].id, hasOldSecrets: later.includes("secret") };
}

/** @param keepsPrices leaves the catalog alone, for an API that is down. The API refuses sign-ups below its price. */
export async function rollback(stage: Stage, typed: string, keepsPrices: boolean, beside: Neighbors): Promise<boolean> {
  const [commit] = COMMIT.exec(typed) ?? [];
  if (commit === undefined) throw new ToolError(`"${typed}" is not a commit: type 12 or more digits of its hash.`);
  const again = `npm run rollback ${stage} ${commit}${keepsPrices ? " -- --keep-prices" : ""}`;
  const commands = { again, next: `npm run smoke ${stage}` };
  const succeeded = await runSteps(stage, () => prepare({ stage, commit, keepsPrices, beside }), commands);
  if (succeeded) console.log("You cannot set secrets until the next deployment.");
  return succeeded;
}

type Rollback = { stage: Stage; commit: string; keepsPrices: boolean; beside: Neighbors };

// Rolls back the site first, because it may call routes that only the newer API has. That API also sets the prices.
// Changes nothing unless each Worker has the version.
async function prepare(one: Rollback): Promise<Step[]> {
  const { stage, commit, keepsPrices, beside } = one;
  const workers = beside.settingsOf(stage);
  console.log(`${stage}: ${urlIn(workers.site, "SITE_URL")}, back to ${commit}`);
  const site = back("site", ".", one);
  if (workers.api === undefined) {
    console.log(siteAloneLine(workers.site));
    return [site];
  }
  const api = back("subscription API", API_FOLDER, one);
  const changes = keepsPrices
    ? priceChanges([], [])
    : priceChanges(await packagesAt(commit, beside.git), databaseOf(stage, beside.wrangler).packages);
  for (const sentence of changes.sentences) console.log(`  ${sentence}`);
  const operator = changesPrices(changes) ? apiOf(stage, beside) : undefined;
  const otherwise = ` If the API does not answer, add -- --keep-prices to the command below.`;
  return [
    ...pricesStep(operator, changes.beforeSite, { otherwise }),
    site,
    ...pricesStep(operator, changes.afterSite, { retired: changes.retired, otherwise }),
    api,
  ];
}

function back(title: string, folder: Folder, one: Rollback): Step {
  const { stage, commit } = one;
  const id = versionOf(title, folder, one);
  return {
    result: `${title}: commit ${commit}`,
    run() {
      wranglerIn(one, folder, "rollback", id, "--message", `Rolled back to ${commit}`, "--yes");
      console.log(`✓ ${title}: version ${id} of ${commit} is live in ${stage}`);
    },
  };
}

/** A commit's version, if it has the current secrets. Throws ToolError if there is none. */
function versionOf(title: string, folder: Folder, one: Rollback): string {
  const { stage, commit } = one;
  const version = versionTagged(commit, answerIn(versions, wranglerIn(one, folder, "versions", "list", "--json")));
  if (!version) throw new ToolError(`✗ ${title}: no version has the tag ${commit}.`);
  if (!version.hasOldSecrets) return version.id;
  throw new ToolError(
    `✗ ${title}: a secret has changed since, and this version has the old one. Deploy the commit with the current secrets: git switch --detach ${commit} && npm install && npm run deploy ${stage}`,
  );
}

function wranglerIn({ stage, beside }: Rollback, folder: Folder, ...args: string[]): string {
  const { succeeded, stdout, output } = beside.wrangler(args, { stage, folder });
  if (!succeeded) throw new ToolError(`✗ ${failureIn(output)}`);
  return stdout;
}

if (isStarted(import.meta.url)) {
  await runTool(() => {
    const shape = { script: "rollback", targets: STAGES, word: "commit", options: { "keep-prices": "" } };
    const { target, word, switches } = readCommandLine(shape);
    return rollback(target, word, switches.has("keep-prices"), neighbors);
  });
}
