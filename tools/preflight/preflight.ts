import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { company } from "../../app/company";
import { companyFacts } from "../../app/company-facts";
import { runTool, ToolError } from "../failures";
import { settingsOf, stageOf } from "../releases/deployment-stages";
import { setUpStripe } from "../stripe-setup/set-up";
import { type Target, targetOf } from "../stripe-setup/target";
import { API_FOLDER, root, type Stage } from "../wrangler/wrangler";
import { mailDomainOf } from "./address-rules";
import { askAccount } from "./cloudflare-account";
import type { Finding } from "./deployment";
import { checkDeployment, isDatabaseId } from "./rules";

// npm run preflight: of production, or --staging. --offline asks no account. For npm run deploy: --migrating allows
// migrations that are not applied yet, --only subscription-api also packages without prices. Stripe: STRIPE_SECRET_KEY.

type Options = { stage: Stage; offline: boolean; migrating: boolean; apiOnly: boolean };

export async function checkStripe(target: Target): Promise<{ findings: Finding[]; unchecked: string[] }> {
  const findings: Finding[] = [];
  const unchecked: string[] = [];
  await setUpStripe(target, "check", ({ mark, text }) => {
    if (mark === "untested") unchecked.push(`Stripe: ${text}`);
    else if (mark !== "ok") findings.push({ where: "Stripe", what: text });
  });
  return { findings, unchecked };
}

async function askStripe({ offline, stage }: Options): ReturnType<typeof checkStripe> {
  if (offline) return { findings: [], unchecked: ["Stripe (--offline)"] };
  if (!process.env.STRIPE_SECRET_KEY) return { findings: [], unchecked: ["Stripe (STRIPE_SECRET_KEY is not set)"] };
  try {
    return await checkStripe(targetOf(stage, process.env));
  } catch (error) {
    if (error instanceof ToolError) return { findings: [{ where: "Stripe", what: error.message }], unchecked: [] };
    throw error;
  }
}

export async function preflight(options: Options): Promise<boolean> {
  const { stage, offline, migrating, apiOnly } = options;
  const settings = { ...settingsOf(stage), other: settingsOf(stage === "staging" ? "production" : "staging") };
  const { unanswered, ...known } = offline
    ? { unanswered: [] }
    : askAccount(stage, { hasDatabase: isDatabaseId(settings.api), mailDomain: mailDomainOf(settings.api) });
  const stripe = await askStripe(options);
  const findings = [
    ...unanswered.filter(({ where }) => !(apiOnly && where === "database")),
    ...checkDeployment({
      stage,
      ...known,
      ...(apiOnly && { database: undefined }),
      ...settings,
      company: { ...company, ...companyFacts },
      migrations: migrating ? [] : migrationFiles(),
    }),
    ...stripe.findings,
  ];
  for (const { where, what } of findings) console.log(`✗ ${where}: ${what}`);
  if (offline) console.log("Not checked: secrets, migrations and packages (--offline).");
  for (const what of stripe.unchecked) console.log(`Not checked: ${what}.`);
  const isReady = findings.length === 0;
  console.log(
    isReady ? `✓ Ready to deploy to ${stage}.` : `${findings.length} to fix before a deployment to ${stage}.`,
  );
  return isReady;
}

function migrationFiles(): string[] {
  return readdirSync(join(root, API_FOLDER, "migrations")).filter((name) => name.endsWith(".sql"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const options = {
      offline: flag,
      migrating: flag,
      staging: flag,
      production: flag,
      only: { type: "string" },
    } as const;
    const { values } = parseArgs({ options });
    const { offline, migrating, only } = values;
    return preflight({ stage: stageOf(values), offline, migrating, apiOnly: only === "subscription-api" });
  });
}
