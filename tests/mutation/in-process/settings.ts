import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import * as z from "zod";

/** Stands in for what tests/support/ takes of `wrangler`. */
const root = fileURLToPath(new URL("../../..", import.meta.url));

const read = z.object({ config: z.looseObject({}), options: z.custom<Settings>() });

type Settings = { bindings?: Record<string, unknown>; ratelimits?: Record<string, RateLimitSetting> };
export type RateLimitSetting = { simple: { limit: number; period: number } };

export function unstable_readConfig({ config, env = "" }: { config: string; env?: string }) {
  const found = inject("settings")[`${relative(root, config)} ${env}`];
  if (found === undefined) throw new Error(`No settings of ${config} were read for "${env}"`);
  const { config: settings, options } = read.parse(JSON.parse(found));
  return { ...settings, options };
}

export function unstable_getMiniflareWorkerOptions({ options }: { options: Settings }): { workerOptions: Settings } {
  return { workerOptions: options };
}

/** Databases are migrated already. */
export function unstable_splitSqlQuery(): string[] {
  return [];
}
