import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { company } from "../../app/company";
import { companyFacts } from "../../app/company-facts";
import { type CloudflareAccount, cloudflareAccount } from "./cloudflare-account";
import { checkDeployment, type Deployment, type Finding } from "./preflight-checks";
import { SetUpError } from "./stripe-setup/failures";
import { setUpStripe } from "./stripe-setup/set-up";
import { type Target, targetOf } from "./stripe-setup/target";
import { readWorkerSettings } from "./worker-settings";

// --offline asks no account. --migrating allows migrations that are not applied yet. Checks Stripe by STRIPE_SECRET_KEY.

const root = fileURLToPath(new URL("../..", import.meta.url));

export type Answers = Pick<Deployment, "secrets" | "database"> & { unanswered: Finding[] };

export function askAccount(account: CloudflareAccount): Answers {
  const unanswered: Finding[] = [];
  const site = account.secretsOf(".");
  const api = account.secretsOf("functions/subscription-api");
  const migrations = account.query("SELECT name FROM d1_migrations");
  const packages = account.query("SELECT id, name, price_cents, stripe_price_id FROM packages");
  if (!site) unanswered.push({ where: "site", what: "its secrets cannot be read: npx wrangler login" });
  if (!api) unanswered.push({ where: "subscription API", what: "its secrets cannot be read: npx wrangler login" });
  if (!migrations || !packages) {
    unanswered.push({ where: "database", what: "cannot be read: npm run deploy:subscription-api migrates it" });
  }
  return {
    unanswered,
    ...(site && api && { secrets: { site, api } }),
    ...(migrations && packages && { database: { migrations: migrations.map(({ name }) => String(name)), packages } }),
  };
}

/** What `npm run stripe:setup -- --production --check` finds. */
export async function checkStripe(target: Target): Promise<{ findings: Finding[]; unchecked: string[] }> {
  const findings: Finding[] = [];
  const unchecked: string[] = [];
  await setUpStripe(target, "check", ({ mark, text }) => {
    if (mark === "untested") unchecked.push(`Stripe: ${text}`);
    else if (mark !== "ok") findings.push({ where: "Stripe", what: text });
  });
  return { findings, unchecked };
}

async function askStripe(isOffline: boolean): ReturnType<typeof checkStripe> {
  if (isOffline) return { findings: [], unchecked: ["Stripe (--offline)"] };
  if (!process.env.STRIPE_SECRET_KEY) return { findings: [], unchecked: ["Stripe (STRIPE_SECRET_KEY is not set)"] };
  try {
    return await checkStripe(targetOf("production", process.env));
  } catch (error) {
    if (error instanceof SetUpError) return { findings: [{ where: "Stripe", what: error.message }], unchecked: [] };
    throw error;
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { offline: { type: "boolean", default: false }, migrating: { type: "boolean", default: false } },
  });
  const { unanswered, ...known } = values.offline ? { unanswered: [] } : askAccount(cloudflareAccount);
  const stripe = await askStripe(values.offline);
  const findings = [
    ...unanswered,
    ...checkDeployment({
      ...known,
      company: { ...company, ...companyFacts },
      site: readWorkerSettings(join(root, "wrangler.toml"), "production"),
      api: readWorkerSettings(join(root, "functions/subscription-api/wrangler.toml"), "production"),
      migrations: values.migrating
        ? []
        : readdirSync(join(root, "functions/subscription-api/migrations")).filter((name) => name.endsWith(".sql")),
    }),
    ...stripe.findings,
  ];
  for (const { where, what } of findings) console.log(`✗ ${where}: ${what}`);
  if (values.offline) console.log("Not checked: secrets, migrations and packages (--offline).");
  for (const what of stripe.unchecked) console.log(`Not checked: ${what}.`);
  console.log(findings.length === 0 ? "✓ Ready to deploy." : `${findings.length} to mend before a deployment.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
