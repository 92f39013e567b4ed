import { unstable_readConfig } from "wrangler";
import * as z from "zod";
import { ToolError } from "../failures";
import type { Stage } from "./wrangler";

export type WorkerSettings = z.output<typeof settings>;

const route = z.union([z.string().transform((pattern) => ({ pattern })), z.object({ pattern: z.string() })]);

const settings = z
  .object({
    name: z.string(),
    vars: z.record(z.string(), z.unknown()),
    route: route.optional(),
    routes: z.array(route).default([]),
    workers_dev: z.boolean().default(false),
    secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
    services: z
      .array(z.object({ binding: z.string(), service: z.string(), entrypoint: z.string().optional() }))
      .default([]),
    assets: z.object({ binding: z.string().optional() }).optional(),
    ratelimits: z.array(z.object({ name: z.string() })).default([]),
    send_email: z.array(z.object({ name: z.string() })).default([]),
    d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string().optional() })).default([]),
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
