import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { company } from "../../app/company";
import { type CloudflareAccount, cloudflareAccount } from "./cloudflare-account";
import { checkDeployment, type Deployment, type Finding } from "./preflight-checks";
import { readWorkerSettings } from "./worker-settings";

/*
 * `npm run preflight`: checks what a deployment needs and names what is missing; exit code 1 when something is. Where the
 * variable STRIPE_SECRET_KEY is set, its mode is checked too: nobody can read the secret back.
 *   --offline      only the files: the Cloudflare account is not asked for secrets and the database
 *   --migrating    migrations that are not applied yet are fine: the deployment applies them
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What an account told, or that it did not answer. */
export type Answers = Pick<Deployment, "secrets" | "database"> & { unanswered: Finding[] };

/** Asks the account for what only it knows. */
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

function main(): void {
  const { values } = parseArgs({
    options: { offline: { type: "boolean", default: false }, migrating: { type: "boolean", default: false } },
  });
  const { unanswered, ...known } = values.offline ? { unanswered: [] } : askAccount(cloudflareAccount);
  const findings = [
    ...unanswered,
    ...checkDeployment({
      ...known,
      company,
      site: readWorkerSettings(join(root, "wrangler.toml"), "production"),
      api: readWorkerSettings(join(root, "functions/subscription-api/wrangler.toml"), "production"),
      migrations: values.migrating
        ? []
        : readdirSync(join(root, "functions/subscription-api/migrations")).filter((name) => name.endsWith(".sql")),
    }),
  ];
  for (const { where, what } of findings) console.log(`✗ ${where}: ${what}`);
  if (values.offline) console.log("Not checked: secrets, migrations and packages (--offline).");
  console.log(findings.length === 0 ? "✓ Ready to deploy." : `${findings.length} to mend before a deployment.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
