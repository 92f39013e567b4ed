import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Unstable_Config,
  type Unstable_MiniflareWorkerOptions,
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
} from "wrangler";
import { ToolError } from "../failures";
import { onPorts } from "../start/addresses";
import { API_FOLDER, root, STAGES } from "./wrangler";

export type WorkerSettings = ReturnType<typeof readWorkerSettings>;

/** The environments of each wrangler.toml: the stages, and `npm start` on this machine. */
export const TARGETS = [...STAGES, "local"] as const;
export type Target = (typeof TARGETS)[number];

export function readWorkerSettings(file: string, target: Target = "local") {
  const config: Unstable_Config = unstable_readConfig({ config: file, env: target }, { hideWarnings: true });
  const routes = [config.route ?? [], config.routes ?? []].flat();
  return {
    ...config,
    name: config.name ?? "",
    routes: routes.map((route) => (typeof route === "string" ? route : route.pattern)),
  };
}

/** `api` is undefined for a site that is deployed alone: without the binding SUBSCRIPTION_API it uses somebody else's API. */
export type Workers = { site: WorkerSettings; api: WorkerSettings | undefined };

export function settingsOf(target: Target): Workers {
  const read = (folder: string) => {
    const settings = readWorkerSettings(join(root, folder, "wrangler.toml"), target);
    return target === "local" ? { ...settings, vars: onPorts(settings.vars) } : settings;
  };
  const site = read(".");
  return { site, api: target === "local" || bindsApi(site) ? read(API_FOLDER) : undefined };
}

/** False if a deployed site calls somebody else's API: the reference API takes sign-ups only by this binding. */
const bindsApi = ({ services }: WorkerSettings) =>
  services?.some(({ binding }) => binding === "SUBSCRIPTION_API") ?? false;

export function siteAloneLine(site: WorkerSettings): string {
  return `The site alone: its API is at ${urlIn(site, "SUBSCRIPTION_API_URL")} (no service SUBSCRIPTION_API in wrangler.toml).`;
}

/** Returns the URL without a final slash. */
export function urlIn({ vars }: WorkerSettings, name: string): string {
  return String(vars[name]).replace(/\/+$/, "");
}

export const d1In = ({ d1_databases }: WorkerSettings) => d1_databases.find(({ binding }) => binding === "DB");

/** The name of the API's database. Throws ToolError for a site that is deployed alone. */
export function databaseNameIn({ site, api }: Workers): string {
  if (api === undefined) throw new ToolError(`✗ ${siteAloneLine(site)} It has no database.`);
  return d1In(api)?.database_name ?? "DB";
}

type WorkerOptions = Unstable_MiniflareWorkerOptions["workerOptions"] & { name: string };

/** Variables that override wrangler.toml; `undefined` removes one. */
export type Vars = Record<string, string | undefined>;

/** Miniflare's options, except modules, by wrangler.toml and `vars` alone: no `.dev.vars`, no environment. */
export function bindingsOf(folder: string, vars: Vars = {}, target: Target = "local"): WorkerOptions {
  const file = { config: join(root, folder, "wrangler.toml"), env: target };
  const config = unstable_readConfig(file, { hideWarnings: true });
  // Wrangler looks for `.dev.vars` and `.env` beside this path.
  const alone = { ...config, userConfigPath: fileURLToPath(import.meta.url) };
  const { workerOptions } = unstable_getMiniflareWorkerOptions(alone, target);
  const bindings = Object.entries({ ...workerOptions.bindings, ...vars }).filter(([, value]) => value !== undefined);
  return { ...workerOptions, name: String(config.name), bindings: Object.fromEntries(bindings) };
}
