import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** Stands in for what tests/support/ takes of `wrangler`. */
const root = fileURLToPath(new URL("../../..", import.meta.url));

type Settings = { bindings?: Record<string, unknown>; ratelimits?: Record<string, RateLimitSetting> };
export type RateLimitSetting = { simple: { limit: number; period: number } };

export function unstable_readConfig({ config, env }: { config: string; env: string }): { read: string } {
  const found = inject("settings")[`${relative(root, config)} ${env}`];
  if (found === undefined) throw new Error(`No settings of ${config} were read for "${env}"`);
  return { read: found };
}

export function unstable_getMiniflareWorkerOptions({ read }: { read: string }): { workerOptions: Settings } {
  return { workerOptions: JSON.parse(read) };
}

/** Databases are migrated already. */
export function unstable_splitSqlQuery(): string[] {
  return [];
}
