import * as z from "zod";
import { parseJson } from "../../app/shared/parse-json";
import { API_FOLDER, type Folder, runWrangler, type Stage, scriptCommand } from "../wrangler/wrangler";
import { type Failure, failureIn } from "../wrangler/wrangler-output";
import type { Deployment, Finding } from "./deployment";

export type Answers = Pick<Deployment, "secrets" | "database" | "databaseNames" | "mayEmail"> & {
  unanswered: Finding[];
};

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));

/** Both at once: each run of Wrangler takes a second. */
const DATABASE_SQL = "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id FROM packages";
const rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) });
const databaseResult = z.tuple([rows, rows]).transform(([migrations, packages]) => ({
  migrations: migrations.results.map(({ name }) => String(name)),
  packages: packages.results,
}));

const databaseNames = z
  .array(z.object({ uuid: z.string(), name: z.string() }))
  .transform((databases) => new Map(databases.map(({ uuid, name }) => [uuid, name])));

/** `mailDomain`: the domain of MAIL_FROM, if Cloudflare sends the emails. */
type Asked = { hasDatabase: boolean; mailDomain: string | undefined };

/** Secrets and database in Wrangler's account. Reports a problem of the account itself once. */
export function askAccount(stage: Stage, { hasDatabase, mailDomain }: Asked): Answers {
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
  const { value: names } = ask(databaseNames, ["d1", "list", "--json"], stage, API_FOLDER);
  const known = {
    ...(site && api && { secrets: { site, api } }),
    ...(names && { databaseNames: names }),
    ...(mailDomain !== undefined && { mayEmail: maySendFrom(mailDomain, stage) }),
  };
  if (!hasDatabase) return { unanswered, ...known };
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { value: database, failure } = ask(databaseResult, args, stage, API_FOLDER);
  if (database) return { unanswered, ...known, database };
  const hasNoTable = failure.kind === "no-table";
  const deploy = hasNoTable
    ? ` Deploy the API, which makes them: ${scriptCommand("deploy:subscription-api", stage)}`
    : "";
  unanswered.push({ where: "database", what: `${failure.sentence}${deploy}` });
  return { unanswered, ...known };
}

/** Undefined without an answer from Cloudflare. A subdomain can be onboarded by itself. */
function maySendFrom(domain: string, stage: Stage): boolean | undefined {
  const args = ["email", "sending", "settings", domain];
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder: API_FOLDER });
  if (!succeeded) return /Could not find a zone/.test(stdout + stderr) ? false : undefined;
  const [zone = "", ...lines] = stdout.trim().split("\n");
  if (zone.includes(` ${domain}:`)) return lines.some((line) => /^\s*Enabled:\s*true/.test(line));
  return lines.some((line) => line.includes(`- ${domain} (enabled: true`));
}

type Answer<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

function ask<T extends z.ZodType>(schema: T, args: string[], stage: Stage, folder: Folder): Answer<z.output<T>> {
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
  if (!succeeded) return { failure: failureIn(`${stderr}\n${stdout}`, { stage, folder }) };
  // Wrangler may write warnings before the JSON.
  const { data } = schema.safeParse(parseJson(stdout.slice(stdout.search(/^[[{]/m))));
  if (data !== undefined) return { value: data };
  return { failure: { kind: "other", sentence: `Wrangler's answer to ${args.slice(0, 2).join(" ")} cannot be read.` } };
}
