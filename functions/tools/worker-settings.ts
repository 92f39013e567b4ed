import { unstable_readConfig } from "wrangler";
import * as z from "zod";

export type WorkerSettings = z.output<typeof settings>;

const settings = z.object({
  name: z.string(),
  vars: z.record(z.string(), z.unknown()),
  routes: z.array(z.object({ pattern: z.string() })).default([]),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
  services: z
    .array(z.object({ binding: z.string(), service: z.string(), entrypoint: z.string().optional() }))
    .default([]),
  assets: z.object({ binding: z.string().optional() }).optional(),
  ratelimits: z.array(z.object({ name: z.string() })).default([]),
  send_email: z.array(z.object({ name: z.string() })).default([]),
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string().optional() })).default([]),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
});

/** Reads one environment of a wrangler.toml: a stage, or local development. Throws when it is no configuration. */
export function readWorkerSettings(file: string, environment?: "staging" | "production"): WorkerSettings {
  return settings.parse(unstable_readConfig({ config: file, env: environment ?? "" }, { hideWarnings: true }));
}
