import * as z from "zod";
import { API_FOLDER, type Folder, runWrangler, type Stage } from "../wrangler";
import { type Failure, failureIn } from "../wrangler-output";

export type Answer<T> = { value: T } | { failure: Failure };

/** The account that Wrangler is logged in to, as one stage sees it. */
export type CloudflareAccount = {
  /** The names of a Worker's secrets. */
  secretsOf(folder: Folder): Answer<string[]>;
  query(sql: string): Answer<Record<string, unknown>[]>;
};

const secretList = z.array(z.object({ name: z.string() }));
const queryResult = z.tuple([z.object({ results: z.array(z.record(z.string(), z.unknown())) })]);

export function cloudflareAccount(stage: Stage): CloudflareAccount {
  return {
    secretsOf(folder) {
      const names = secretList.transform((secrets) => secrets.map(({ name }) => name));
      return ask(names, ["secret", "list", "--format", "json"], stage, folder);
    },
    query(sql) {
      const rows = queryResult.transform(([{ results }]) => results);
      return ask(rows, ["d1", "execute", "DB", "--remote", "--json", "--command", sql], stage, API_FOLDER);
    },
  };
}

function ask<T extends z.ZodType>(schema: T, args: string[], stage: Stage, folder: Folder): Answer<z.output<T>> {
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder });
  if (!succeeded) return { failure: failureIn(`${stderr}\n${stdout}`, { stage, folder }) };
  // Wrangler may write warnings before the JSON.
  return { value: schema.parse(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) };
}
