import * as z from "zod";
import { API_FOLDER, type Folder, runWrangler, type Stage } from "../wrangler";
import { type Failure, failureIn } from "../wrangler-output";
import type { Deployment } from "./deployment";

export type Answer<T> = { value: T } | { failure: Failure };

export type CloudflareAccount = {
  secretsOf(folder: Folder): Answer<string[]>;
  database(): Answer<NonNullable<Deployment["database"]>>;
};

const secretList = z.array(z.object({ name: z.string() }));

/** Both at once: each run of Wrangler takes a second. */
const DATABASE_SQL = "SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id FROM packages";
const rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) });
const databaseResult = z.tuple([rows, rows]).transform(([migrations, packages]) => ({
  migrations: migrations.results.map(({ name }) => String(name)),
  packages: packages.results,
}));

export function cloudflareAccount(stage: Stage): CloudflareAccount {
  return {
    secretsOf(folder) {
      const names = secretList.transform((secrets) => secrets.map(({ name }) => name));
      return ask(names, ["secret", "list", "--format", "json"], stage, folder);
    },
    database() {
      const args = ["d1", "execute", "DB", "--remote", "--json", "--command", DATABASE_SQL];
      return ask(databaseResult, args, stage, API_FOLDER);
    },
  };
}

function ask<T extends z.ZodType>(schema: T, args: string[], stage: Stage, folder: Folder): Answer<z.output<T>> {
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
  if (!succeeded) return { failure: failureIn(`${stderr}\n${stdout}`, { stage, folder }) };
  // Wrangler may write warnings before the JSON.
  return { value: schema.parse(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) };
}
