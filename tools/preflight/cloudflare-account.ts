import * as z from "zod";
import { API_FOLDER, type Folder, runWrangler, type Stage, scriptCommand, wranglerCommand } from "../wrangler/wrangler";
import { type Failure, failureIn } from "../wrangler/wrangler-output";
import type { Deployment, Finding } from "./deployment";

export type Answers = Pick<Deployment, "secrets" | "database"> & { unanswered: Finding[] };

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));

/** Both at once: each run of Wrangler takes a second. */
const DATABASE_SQL = "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id FROM packages";
const rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) });
const databaseResult = z.tuple([rows, rows]).transform(([migrations, packages]) => ({
  migrations: migrations.results.map(({ name }) => String(name)),
  packages: packages.results,
}));

/** Secrets and database, as Wrangler's account has them. What is wrong with the account itself is found once. */
export function askAccount(stage: Stage, hasDatabase: boolean): Answers {
  const unanswered: Finding[] = [];
  const secretsOf = (where: "site" | "subscription API", folder: Folder) => {
    const { value, failure } = ask(secretNames, ["secret", "list", "--format", "json"], stage, folder);
    if (value || failure.kind === "no-worker") return value ?? [];
    unanswered.push({ where: failure.kind === "account" ? "Cloudflare" : where, what: failure.sentence });
    return failure.kind === "account" ? null : undefined;
  };
  const site = secretsOf("site", ".");
  if (site === null) return { unanswered };
  const api = secretsOf("subscription API", API_FOLDER);
  if (api === null) return { unanswered };
  const secrets = site && api ? { secrets: { site, api } } : {};

  const catalogueLacks: Finding[] = [];
  if (api && !api.includes("OPERATOR_TOKEN")) {
    const command = wranglerCommand("secret put OPERATOR_TOKEN", stage, API_FOLDER);
    const what = `OPERATOR_TOKEN is a secret that is not set, which npm run catalogue needs: ${command}`;
    catalogueLacks.push({ where: "subscription API", what });
  }
  if (!hasDatabase) return { unanswered: [...unanswered, ...catalogueLacks], ...secrets };
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { value: database, failure } = ask(databaseResult, args, stage, API_FOLDER);
  if (database) return { unanswered, ...secrets, database };
  const hasNoTable = failure.kind === "no-table";
  const deploy = hasNoTable
    ? ` Deploy the API, which makes them: ${scriptCommand("deploy:subscription-api", stage)}`
    : "";
  unanswered.push({ where: "database", what: `${failure.sentence}${deploy}` });
  if (hasNoTable) unanswered.push(...catalogueLacks);
  return { unanswered, ...secrets };
}

type Answer<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

function ask<T extends z.ZodType>(schema: T, args: string[], stage: Stage, folder: Folder): Answer<z.output<T>> {
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
  if (!succeeded) return { failure: failureIn(`${stderr}\n${stdout}`, { stage, folder }) };
  // Wrangler may write warnings before the JSON.
  return { value: schema.parse(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) };
}
