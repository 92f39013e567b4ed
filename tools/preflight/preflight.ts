import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { company } from "../../app/company";
import { companyFacts } from "../../app/company-facts";
import { runTool, sentenceOf } from "../failures";
import { setUpStripe } from "../stripe-setup/stripe-setup";
import { type Target, targetOf } from "../stripe-setup/target";
import { settingsOf, stageOf } from "../wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../wrangler/wrangler";
import { askAccount } from "./account";
import { checkDeployment, databaseIdOf, isDatabaseId } from "./rules";

// npm run preflight: production, or --staging. --offline asks no account. With STRIPE_SECRET_KEY it also asks Stripe.

/** `beforeMigrating`: new migrations and, with `apiOnly`, packages without prices are no problem. */
type Options = { stage: Stage; offline?: boolean; beforeMigrating?: boolean; apiOnly?: boolean };

/** Prints what has to be fixed before a deployment; returns whether there is nothing. */
export async function preflight({ stage, offline, beforeMigrating, apiOnly }: Options): Promise<boolean> {
  const workers = settingsOf(stage);
  const { unanswered = [], ...account } = offline
    ? {}
    : askAccount(stage, !apiOnly && isDatabaseId(databaseIdOf(workers.api)));
  const files = readdirSync(join(root, API_FOLDER, "migrations")).filter((name) => name.endsWith(".sql"));
  const findings = [
    ...[unanswered].flat(),
    ...checkDeployment({
      ...workers,
      stage,
      other: settingsOf(stage === "staging" ? "production" : "staging"),
      account,
      company: { ...company, ...companyFacts },
      migrations: beforeMigrating ? [] : files,
    }),
  ];
  if (offline) console.log("Not checked: secrets, migrations, packages and Stripe (--offline).");
  else if (!process.env.STRIPE_SECRET_KEY) console.log("Not checked: Stripe (STRIPE_SECRET_KEY is not set).");
  else findings.push(...(await checkStripe(() => targetOf(stage, process.env))));
  for (const what of findings) console.log(`✗ ${what}`);
  const isReady = findings.length === 0;
  console.log(
    isReady ? `✓ Ready to deploy to ${stage}.` : `${findings.length} to fix before a deployment to ${stage}.`,
  );
  return isReady;
}

/** What differs from the setup that `npm run stripe:setup` makes. */
export async function checkStripe(target: () => Target): Promise<string[]> {
  const findings: string[] = [];
  try {
    await setUpStripe(target(), "check", ({ mark, text }) => {
      if (mark !== "ok") findings.push(`Stripe: ${text}`);
    });
  } catch (error) {
    findings.push(`Stripe: ${sentenceOf(error)}`);
  }
  return findings;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { offline: flag, staging: flag, production: flag } });
    return preflight({ stage: stageOf(values), offline: values.offline });
  });
}
