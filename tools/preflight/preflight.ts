import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { company } from "../../app/company";
import { PAID_PLANS } from "../../app/contract/plans";
import type { PackageAtStripe } from "../../functions/subscription-api/packages";
import { wrongPrice } from "../build";
import { readCommandLine } from "../command-line";
import { runTool, ToolError } from "../failures";
import { apiOf, callApi } from "../operator/call-api";
import { isRepository, NO_REPOSITORY } from "../releases/commit";
import { hasStripePrice, PACKAGES, type PriceChanges, priceChanges } from "../releases/prices";
import { settingsOf } from "../wrangler/worker-settings";
import { API_FOLDER, root, STAGES, type Stage } from "../wrangler/wrangler";
import { type Answers, askAccount, type Database } from "./account";
import { checkDeployment, databaseIdOf, isDatabaseId } from "./checks";

// npm run preflight production or staging. -- --offline skips the accounts. npm run stripe:setup {stage} -- --check checks Stripe.

/** `changes` are the changes that a deployment makes to the API's catalog. */
export type Preflight = { isReady: boolean; changes: PriceChanges };

/** Prints what must be fixed before a deployment, and what the deployment will change in the database. */
export async function preflight(stage: Stage, isOffline = false): Promise<Preflight> {
  const workers = settingsOf(stage);
  const hasDatabase = isDatabaseId(databaseIdOf(workers.api));
  const { secrets, database, unanswered }: Answers = isOffline ? {} : askAccount(stage, hasDatabase);
  const { unasked, prices } = isOffline
    ? { unasked: "secrets, migrations and packages (--offline)" }
    : await pricesAtStripe(stage, database);
  const account = { ...(secrets && { secrets }), ...(prices && { prices }) };
  const other = settingsOf(stage === "staging" ? "production" : "staging");
  const wrong = wrongPrice(PAID_PLANS);
  const findings = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(isRepository() ? [] : [NO_REPOSITORY]),
    ...(unanswered ? [unanswered] : []),
    ...checkDeployment({ ...workers, stage, other, account, company }),
  ];
  for (const what of findings) console.log(`✗ ${what}`);
  if (unasked) console.log(`Not checked: ${unasked}.`);
  const changes = priceChanges(PACKAGES, database?.packages ?? []);
  if (database) tellChanges(database, changes);
  const isReady = findings.length === 0;
  console.log(
    isReady ? `✓ Ready to deploy to ${stage}.` : `${findings.length} to fix before a deployment to ${stage}.`,
  );
  return { isReady, changes };
}

const chargedPrice = z.object({
  active: z.boolean(),
  currency: z.string(),
  unit_amount: z.number().nullable(),
  recurring: z.string().nullable(),
});
const pricesAnswer = z.object({
  prices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      price_cents: z.number(),
      stripe_price_id: z.string(),
      at_stripe: chargedPrice.nullable(),
    }),
  ),
});

/** Asks the API, because only the API has Stripe's key. No answer is not a problem: the deployment may be the fix. */
async function pricesAtStripe(
  stage: Stage,
  database: Database | undefined,
): Promise<{ unasked?: string; prices?: PackageAtStripe[] }> {
  if (!database?.packages.some(hasStripePrice)) return {};
  if (!process.env.OPERATOR_TOKEN) return { unasked: "prices at Stripe (the variable OPERATOR_TOKEN is not set)" };
  try {
    return pricesAnswer.parse(await callApi(apiOf(stage), "prices"));
  } catch (error) {
    if (error instanceof ToolError) return { unasked: `prices at Stripe (${error.message})` };
    throw error;
  }
}

function tellChanges({ migrations }: Database, { sentences }: PriceChanges): void {
  const files = readdirSync(join(root, API_FOLDER, "migrations")).filter((name) => name.endsWith(".sql"));
  const pending = files.filter((name) => !migrations.includes(name));
  if (pending.length > 0) console.log(`Deploying applies ${pending.join(", ")}.`);
  if (sentences.length > 0)
    console.log("Deploying changes prices, in an order that never charges anyone more than the page shows:");
  for (const sentence of sentences) console.log(`  ${sentence}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    const { target, switches } = readCommandLine({ script: "preflight", targets: STAGES, options: { offline: "" } });
    return (await preflight(target, switches.has("offline"))).isReady;
  });
}
