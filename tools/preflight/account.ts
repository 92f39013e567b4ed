import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { packageRow } from "../../functions/subscription-api/packages";
import { ToolError } from "../failures";
import type { Neighbors } from "../neighbors";
import { API_FOLDER, type Folder, failureIn, type Stage } from "../wrangler/wrangler";

type Wrangler = Neighbors["wrangler"];

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));
const database = z
  .tuple([z.object({ results: z.array(z.object({ name: z.string() })) }), z.object({ results: z.array(packageRow) })])
  .transform(([migrations, packages]) => ({
    migrations: migrations.results.map(({ name }) => name),
    packages: packages.results,
  }));

/** A stage's migrations and packages; none before the first migration. */
export type Database = z.output<typeof database>;

/** Both queries in one run, because each run of Wrangler takes a second. */
const DATABASE_SQL =
  "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id, status FROM packages";
/** Not an error: setting the first secret creates the Worker. */
const NO_WORKER =
  /\[code: (?:10007|10090|10092)\]|does not exist on (?:your|this) account|Worker "[^"]+"[^\n]* not found/i;

/** Parts that were not checked or not answered are undefined. `unanswered` says why there was no answer. */
export type Answers = { secrets?: { site: string[]; api?: string[] }; database?: Database; unanswered?: string };

/** @param hasApi false if the site is deployed alone @param hasDatabase false before the stage has a database */
export function askAccount(stage: Stage, hasApi: boolean, hasDatabase: boolean, wrangler: Wrangler): Answers {
  try {
    const secrets = {
      site: secretsOf(stage, ".", wrangler),
      ...(hasApi && { api: secretsOf(stage, API_FOLDER, wrangler) }),
    };
    return { secrets, ...(hasDatabase && { database: databaseOf(stage, wrangler) }) };
  } catch (error) {
    if (error instanceof ToolError) return { unanswered: error.message };
    throw error;
  }
}

function secretsOf(stage: Stage, folder: Folder, wrangler: Wrangler): string[] {
  const { succeeded, stdout, output } = wrangler(["secret", "list", "--format", "json"], { stage, folder });
  if (!succeeded && !NO_WORKER.test(output)) throw new ToolError(`Cloudflare: ${failureIn(output)}`);
  return succeeded ? answerIn(secretNames, stdout) : [];
}

export function databaseOf(stage: Stage, wrangler: Wrangler): Database {
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { succeeded, stdout, output } = wrangler(args, { stage, folder: API_FOLDER });
  if (succeeded) return answerIn(database, stdout);
  if (/no such table/i.test(output)) return { migrations: [], packages: [] };
  throw new ToolError(`database: ${failureIn(output)}`);
}

/** The JSON that Wrangler wrote, maybe after warnings. Throws ToolError if Cloudflare answered anything else, such as HTML. */
export function answerIn<T>(schema: z.ZodType<T>, stdout: string): T {
  const { data, success } = schema.safeParse(parseJson(stdout.slice(stdout.search(/^[[{]/m))));
  if (success) return data;
  const beginning = stdout.replace(/\s+/g, " ").trim().slice(0, 100) || "nothing";
  throw new ToolError(`✗ Cloudflare's answer cannot be read: ${beginning}. Try again, or update Wrangler.`);
}
