import * as z from "zod";
import { parseJson } from "../../app/shared/parse-json";
import { API_FOLDER, failureIn, runWrangler, type Stage, scriptCommand } from "../wrangler/wrangler";
import type { Account } from "./deployment";

const secretNames = z.array(z.object({ name: z.string() })).transform((secrets) => secrets.map(({ name }) => name));
const rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) });
const database = z.tuple([rows, rows]).transform(([migrations, packages]) => ({
  migrations: migrations.results.map(({ name }) => String(name)),
  packages: packages.results,
}));

/** Both at once: each run of Wrangler takes a second. */
const DATABASE_SQL = "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id FROM packages";
/** The first secret makes the Worker. */
const NO_WORKER =
  /\[code: (?:10007|10090|10092)\]|does not exist on (?:your|this) account|Worker "[^"]+"[^\n]* not found/i;

/**
 * Asks for secrets and database in Wrangler's account.
 * @param hasDatabase false before the stage has a database
 * @returns also the first question that was not answered, as a sentence
 */
export function askAccount(stage: Stage, hasDatabase: boolean): Account & { unanswered?: string } {
  const secrets: string[][] = [];
  for (const folder of [".", API_FOLDER] as const) {
    const { succeeded, stdout, output } = runWrangler(["secret", "list", "--format", "json"], { stage, folder });
    if (!succeeded && !NO_WORKER.test(output)) return { unanswered: `Cloudflare: ${failureIn(output)}` };
    secrets.push(succeeded ? secretNames.parse(jsonIn(stdout)) : []);
  }
  const [site = [], api = []] = secrets;
  if (!hasDatabase) return { secrets: { site, api } };
  const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
  const { succeeded, stdout, output } = runWrangler(args, { stage, folder: API_FOLDER });
  if (succeeded) return { secrets: { site, api }, database: database.parse(jsonIn(stdout)) };
  const problem = /no such table/i.test(output)
    ? `has no tables yet: ${scriptCommand("deploy:subscription-api", stage)}`
    : failureIn(output);
  return { secrets: { site, api }, unanswered: `database: ${problem}` };
}

/** Wrangler may write warnings before the JSON. */
const jsonIn = (stdout: string) => parseJson(stdout.slice(stdout.search(/^[[{]/m)));
