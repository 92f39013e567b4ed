import * as z from "zod";
import { parseJson } from "../../app/shared/parse-json";
import { API_FOLDER, type Folder, runWrangler, type Stage, scriptCommand } from "../wrangler/wrangler";
import { type Failure, failureIn } from "../wrangler/wrangler-output";
import type { Account } from "./deployment";

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));
const databaseNames = z
  .array(z.object({ uuid: z.string(), name: z.string() }))
  .transform((databases) => new Map(databases.map(({ uuid, name }) => [uuid, name])));
const rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) });
const database = z.tuple([rows, rows]).transform(([migrations, packages]) => ({
  migrations: migrations.results.map(({ name }) => String(name)),
  packages: packages.results,
}));

/** Both at once: each run of Wrangler takes a second. */
const DATABASE_SQL = "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id FROM packages";

/**
 * Asks for secrets and database in Wrangler's account.
 * @param hasDatabase false before the stage has a database
 * @returns also what could not be asked, in sentences: a problem of the account itself is told once
 */
export function askAccount(stage: Stage, hasDatabase: boolean): Account & { unanswered: string[] } {
  const unanswered: string[] = [];
  const secrets: string[][] = [];
  for (const [where, folder] of [
    ["site", "."],
    ["subscription API", API_FOLDER],
  ] as const) {
    const { value, failure } = ask(secretNames, ["secret", "list", "--format", "json"], stage, folder);
    if (failure?.kind === "account") return { unanswered: [`Cloudflare: ${failure.sentence}`] };
    if (failure && failure.kind !== "no-worker") unanswered.push(`${where}: ${failure.sentence}`);
    secrets.push(value ?? []);
  }
  const [site = [], api = []] = secrets;
  const { value: names } = ask(databaseNames, ["d1", "list", "--json"], stage, API_FOLDER);
  const known = { unanswered, secrets: { site, api }, ...(names && { databaseNames: names }) };
  if (!hasDatabase) return known;
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { value, failure } = ask(database, args, stage, API_FOLDER);
  if (value) return { ...known, database: value };
  const remedy = failure?.kind === "no-table" ? ` ${scriptCommand("deploy:subscription-api", stage)} makes them.` : "";
  unanswered.push(`database: ${failure?.sentence}${remedy}`);
  return known;
}

function ask<T extends z.ZodType>(
  schema: T,
  args: string[],
  stage: Stage,
  folder: Folder,
): { value?: z.output<T>; failure?: Failure } {
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
  if (!succeeded) return { failure: failureIn(`${stderr}\n${stdout}`) };
  // Wrangler may write warnings before the JSON.
  const { data } = schema.safeParse(parseJson(stdout.slice(stdout.search(/^[[{]/m))));
  if (data !== undefined) return { value: data };
  return { failure: { kind: "other", sentence: `Wrangler's answer to ${args.slice(0, 2).join(" ")} cannot be read.` } };
}
