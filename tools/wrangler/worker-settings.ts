import { unstable_readConfig } from "wrangler";
import * as z from "zod";
import { ToolError } from "../failures";
import type { Stage } from "./wrangler";

export type WorkerSettings = z.output<typeof settings>;

const route = z.union([
  z.string().transform((pattern) => ({ pattern, custom_domain: false })),
  z.object({ pattern: z.string(), custom_domain: z.boolean().default(false) }),
]);

const limiter = z.object({
  name: z.string(),
  namespace_id: z.string(),
  simple: z.object({ limit: z.number(), period: z.number() }),
});

const settings = z
  .object({
    name: z.string(),
    vars: z.record(z.string(), z.unknown()),
    route: route.optional(),
    routes: z.array(route).default([]),
    workers_dev: z.boolean().default(false),
    preview_urls: z.boolean().optional(),
    compatibility_date: z.string().optional(),
    compatibility_flags: z.array(z.string()).default([]),
    upload_source_maps: z.boolean().default(false),
    observability: z
      .object({
        enabled: z.boolean().default(false),
        head_sampling_rate: z.number().default(1),
        logs: z
          .object({
            enabled: z.boolean().default(true),
            head_sampling_rate: z.number().default(1),
            invocation_logs: z.boolean().default(true),
          })
          .prefault({}),
      })
      .prefault({}),
    define: z.record(z.string(), z.string()).default({}),
    version_metadata: z.object({ binding: z.string() }).optional(),
    analytics_engine_datasets: z.array(z.object({ binding: z.string(), dataset: z.string().optional() })).default([]),
    secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
    services: z
      .array(z.object({ binding: z.string(), service: z.string(), entrypoint: z.string().optional() }))
      .default([]),
    assets: z.object({ binding: z.string().optional() }).optional(),
    ratelimits: z.array(limiter).default([]),
    send_email: z.array(z.object({ name: z.string() })).default([]),
    d1_databases: z
      .array(
        z.object({ binding: z.string(), database_name: z.string().optional(), database_id: z.string().optional() }),
      )
      .default([]),
    triggers: z.object({ crons: z.array(z.string()).default([]) }),
  })
  .transform(({ route: one, routes, ...rest }) => ({ ...rest, routes: one ? [one, ...routes] : routes }));

export function readWorkerSettings(file: string, environment?: Stage): WorkerSettings {
  const { data, error } = settings.safeParse(
    unstable_readConfig({ config: file, env: environment ?? "" }, { hideWarnings: true }),
  );
  if (data) return data;
  const [{ path, message } = { path: [], message: "is wrong" }] = error.issues;
  throw new ToolError(`${file}: ${path.join(".")} in ${environment ?? "the top level"}: ${message}.`);
}
