import { unstable_readConfig } from "wrangler";
import * as z from "zod";
import { ToolError } from "../failures";
import type { Stage } from "./wrangler";

const route = z.union([z.string().transform((pattern) => ({ pattern })), z.object({ pattern: z.string() })]);
const limiter = z.object({ name: z.string(), namespace_id: z.string(), simple: z.object({ limit: z.number() }) });
const logs = z.object({ enabled: z.boolean().default(true), invocation_logs: z.boolean().default(true) });
const database = z.object({
  binding: z.string(),
  database_name: z.string().optional(),
  database_id: z.string().optional(),
});
const service = z.object({ binding: z.string(), service: z.string(), entrypoint: z.string().optional() });

const settings = z
  .object({
    name: z.string(),
    vars: z.record(z.string(), z.unknown()),
    route: route.optional(),
    routes: z.array(route).default([]),
    workers_dev: z.boolean().default(false),
    preview_urls: z.boolean().optional(),
    observability: z.object({ enabled: z.boolean().default(false), logs: logs.prefault({}) }).prefault({}),
    secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
    services: z.array(service).default([]),
    assets: z.object({ binding: z.string().optional() }).optional(),
    ratelimits: z.array(limiter).default([]),
    send_email: z.array(z.object({ name: z.string() })).default([]),
    d1_databases: z.array(database).default([]),
    triggers: z.object({ crons: z.array(z.string()).default([]) }),
  })
  .transform(({ route: one, routes, ...rest }) => ({ ...rest, routes: one ? [one, ...routes] : routes }));

export type WorkerSettings = z.output<typeof settings>;

/** A stage of a wrangler.toml; its top level, for local development, without one. Throws ToolError. */
export function readWorkerSettings(file: string, stage?: Stage): WorkerSettings {
  const config = unstable_readConfig({ config: file, env: stage ?? "" }, { hideWarnings: true });
  const { data, error } = settings.safeParse(config);
  if (data) return data;
  const [issue] = error.issues;
  throw new ToolError(`${file}: ${issue?.path.join(".")} in ${stage ?? "the top level"}: ${issue?.message}.`);
}
