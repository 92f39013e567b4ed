import * as z from "zod";
import { parseJson } from "../../app/shared/parse-json";
import { ToolError } from "../failures";
import { API_FOLDER, type Folder, failureIn, runWrangler, type Stage } from "../wrangler/wrangler";

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));
const packageRow = z.object({
  id: z.string(),
  name: z.string(),
  price_cents: z.number(),
  stripe_price_id: z.string(),
  status: z.enum(["listed", "custom", "retired"]),
});
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

/**
 * Reads the secrets and the database of the Cloudflare account.
 * @param hasApi false if the site is deployed alone
 * @param hasDatabase false before the stage has a database
 */
export function askAccount(stage: Stage, hasApi: boolean, hasDatabase: boolean): Answers {
  try {
    const secrets = { site: secretsOf(stage, "."), ...(hasApi && { api: secretsOf(stage, API_FOLDER) }) };
    return { secrets, ...(hasDatabase && { database: databaseOf(stage) }) };
  } catch (error) {
    if (error instanceof ToolError) return { unanswered: error.message };
    throw error;
  }
}

function secretsOf(stage: Stage, folder: Folder): string[] {
  const { succeeded, stdout, output } = runWrangler(["secret", "list", "--format", "json"], { stage, folder });
  if (!succeeded && !NO_WORKER.test(output)) throw new ToolError(`Cloudflare: ${failureIn(output)}`);
  return succeeded ? secretNames.parse(jsonIn(stdout)) : [];
}

/** Throws ToolError if Cloudflare does not answer. */
export function databaseOf(stage: Stage): Database {
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { succeeded, stdout, output } = runWrangler(args, { stage, folder: API_FOLDER });
  if (succeeded) return database.parse(jsonIn(stdout));
  if (/no such table/i.test(output)) return { migrations: [], packages: [] };
  throw new ToolError(`database: ${failureIn(output)}`);
}

/** Wrangler may write warnings before the JSON. */
export const jsonIn = (stdout: string) => parseJson(stdout.slice(stdout.search(/^[[{]/m)));
