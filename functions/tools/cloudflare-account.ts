import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

/** The account that Wrangler is logged in to. Undefined: it did not answer. */
export type CloudflareAccount = {
  secretsOf(folder: string): string[] | undefined;
  query(sql: string): Record<string, unknown>[] | undefined;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const wranglerProgram = join(root, "node_modules/wrangler/bin/wrangler.js");

const secretList = z.array(z.object({ name: z.string() }));
const queryResult = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) })).length(1);

export const cloudflareAccount: CloudflareAccount = {
  secretsOf(folder) {
    return run(secretList, ["secret", "list", "--format", "json", "--cwd", folder])?.map(({ name }) => name);
  },
  query(sql) {
    const command = ["d1", "execute", "DB", "--remote", "--json", "--cwd", "functions/subscription-api"];
    return run(queryResult, [...command, "--command", sql])?.[0]?.results;
  },
};

function run<T extends z.ZodType>(schema: T, args: string[]): z.output<T> | undefined {
  const { status, stdout } = spawnSync(process.execPath, [wranglerProgram, ...args, "--env", "production"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
  });
  if (status !== 0) return undefined;
  // Wrangler writes warnings before the JSON.
  return schema.parse(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))));
}
