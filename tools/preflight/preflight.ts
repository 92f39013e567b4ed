import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { PAID_PLANS } from "../../app/contract/plans";
import { type PackageAtStripe, packageRow } from "../../functions/subscription-api/packages";
import { chargedPrice } from "../../functions/subscription-api/stripe/prices";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { apiOf, callApi, WrongToken } from "../operator/call-api";
import { isRepository, NO_REPOSITORY } from "../releases/commit";
import { hasStripePrice, PACKAGES, type PriceChanges, priceChanges } from "../releases/prices";
import { d1In, siteAloneLine, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, STAGES, type Stage } from "../wrangler/wrangler";
import { wrongPrice } from "../wrong-price";
import { type Answers, askAccount, type Database } from "./account";
import { problemOfApi, toldOfApi } from "./api-of-others";
import { checkDeployment, isDatabaseId } from "./checks";

// npm run preflight production or staging. -- --offline skips the accounts. npm run stripe:setup {stage} -- --check checks Stripe.

/** `migrations` and `changes` are what a deployment applies to the API's database and catalog. */
export type Preflight = { isReady: boolean; migrations: string[]; changes: PriceChanges };

/** Prints what must be fixed before a deployment, and what the deployment will change in the database. */
export async function preflight(stage: Stage, isOffline: boolean, beside: Neighbors): Promise<Preflight> {
  const { settingsOf, wrangler, company, git } = beside;
  const workers = settingsOf(stage);
  const { site, api } = workers;
  if (api === undefined) console.log(`${siteAloneLine(site)}\n${toldOfApi(site)}`);
  const hasDatabase = api !== undefined && isDatabaseId(d1In(api)?.database_id);
  const { secrets, database, unanswered }: Answers = isOffline
    ? {}
    : askAccount(stage, api !== undefined, hasDatabase, wrangler);
  const { unasked, prices, refused } = isOffline
    ? { unasked: `secrets, ${api ? "migrations and packages" : "and whether the API answers"} (--offline)` }
    : await pricesAtStripe(stage, database, beside);
  const foreign = api || isOffline ? undefined : await problemOfApi(urlIn(site, "SUBSCRIPTION_API_URL"), beside.fetch);
  const account = { ...(secrets && { secrets }), ...(prices && { prices }) };
  const other = settingsOf(stage === "staging" ? "production" : "staging");
  const wrong = wrongPrice(PAID_PLANS);
  const findings = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(isRepository(git) ? [] : [NO_REPOSITORY]),
    ...(unanswered ? [unanswered] : []),
    ...(refused ? [refused] : []),
    ...checkDeployment({ ...workers, stage, other, account, company }),
    ...(foreign ? [`site: SUBSCRIPTION_API_URL: ${foreign}`] : []),
  ];
  for (const what of findings) console.log(`✗ ${what}`);
  if (unasked) console.log(`Not checked: ${unasked}.`);
  const changes = priceChanges(api ? PACKAGES : [], database?.packages ?? []);
  const migrations = database ? pendingMigrations(database, beside.folder) : [];
  if (migrations.length > 0) console.log(`Deploying applies ${migrations.join(", ")}.`);
  if (database) tellPrices(changes);
  const isReady = findings.length === 0;
  console.log(
    isReady ? `✓ Ready to deploy to ${stage}.` : `${findings.length} to fix before a deployment to ${stage}.`,
  );
  return { isReady, migrations, changes };
}

const pricesAnswer = z.object({ prices: z.array(packageRow.extend({ at_stripe: chargedPrice.nullable() })) });

type AtStripe = { unasked?: string; prices?: PackageAtStripe[]; refused?: string };

// Only the API has Stripe's key. No answer is not a problem: the deployment may be the fix. A refused token is one,
// because the deployment needs it after the API is live.
async function pricesAtStripe(stage: Stage, database: Database | undefined, beside: Neighbors): Promise<AtStripe> {
  const packages = database?.packages ?? [];
  const unlessNew = (found: AtStripe): AtStripe => (packages.some(hasStripePrice) ? found : {});
  if (packages.length === 0) return {};
  if (!beside.env.OPERATOR_TOKEN)
    return unlessNew({ unasked: "prices at Stripe (the variable OPERATOR_TOKEN is not set)" });
  try {
    const { data } = pricesAnswer.safeParse(await callApi(apiOf(stage, beside), "prices"));
    return unlessNew(data ?? { unasked: "prices at Stripe (the API's answer has none)" });
  } catch (error) {
    if (error instanceof WrongToken) return { refused: error.message };
    if (error instanceof ToolError) return unlessNew({ unasked: `prices at Stripe (${error.message})` });
    throw error;
  }
}

export function pendingMigrations({ migrations }: Database, folder: string): string[] {
  const files = readdirSync(join(folder, API_FOLDER, "migrations")).filter((name) => name.endsWith(".sql"));
  return files.filter((name) => !migrations.includes(name)).sort();
}

function tellPrices({ sentences }: PriceChanges): void {
  if (sentences.length > 0)
    console.log("Deploying changes prices, in an order that never charges anyone more than the page shows:");
  for (const sentence of sentences) console.log(`  ${sentence}`);
}

if (isStarted(import.meta.url)) {
  await runTool(async () => {
    const { target, switches } = readCommandLine({ script: "preflight", targets: STAGES, options: { offline: "" } });
    return (await preflight(target, switches.has("offline"), neighbors)).isReady;
  });
}
