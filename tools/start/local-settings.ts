import { existsSync } from "node:fs";
import { join } from "node:path";
import { join as joinWithSlashes } from "node:path/posix";
import { unstable_getVarsForDev } from "wrangler";
import * as z from "zod";
import { settings as siteSettings } from "../../app/pipeline/settings/configuration.server";
import { settings as apiSettings } from "../../functions/subscription-api/config";
import { WORKERS, type WorkerName } from "../build";
import { readWorkerSettings } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { onPorts } from "./addresses";

type Vars = Record<string, string>;

export type LocalSettings = {
  vars: Record<WorkerName, Vars>;
  /** One line for each place outside wrangler.toml that settings come from, with their names but never their values. */
  lines: string[];
  /** The environment, with Stripe's keys from `.dev.vars`; undefined without a key. */
  stripe: NodeJS.ProcessEnv | undefined;
};

/** `taken` maps a place, such as "the environment", to its settings. */
type Read = { defaults: Vars; taken: Record<string, Vars> };

const STRIPE_KEYS = ["STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY"];

/** The site's settings that are true only beside another one. If that one comes from elsewhere, they are back at their defaults. */
const BESIDE: Record<string, string[]> = {
  SUBSCRIPTION_API_URL: [
    "SUBSCRIPTION_API_IDEMPOTENT",
    "SUBSCRIPTION_API_PROMISES",
    "CUSTOMER_PORTAL_URL",
    "CONSOLE_URL",
  ],
  STRIPE_PUBLISHABLE_KEY: ["STRIPE_JS_URL", "STRIPE_API_URL"],
};

export function textSettings(schema: z.core.$ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.keys(properties).filter((name) => Object(properties[name]).type === "string");
}

const DECLARED: Record<WorkerName, string[]> = {
  site: textSettings(siteSettings),
  "subscription-api": textSettings(apiSettings),
  "stripe-simulator": [],
};

// The environment overrides `.dev.vars` in the Worker's folder (or `.env` without one, as in Wrangler), which overrides
// wrangler.toml. The local URLs in wrangler.toml follow the port.
export function readLocalSettings(environment: NodeJS.ProcessEnv, port: number, folder = root): LocalSettings {
  const site = read("site", environment, folder);
  const api = read("subscription-api", environment, folder);
  const simulator = read("stripe-simulator", environment, folder);
  const varsOf = ({ defaults, taken }: Read) => Object.assign({}, onPorts(defaults, port), ...Object.values(taken));

  const places = new Map<string, Set<string>>();
  for (const [place, vars] of [site, api, simulator].flatMap(({ taken }) => Object.entries(taken))) {
    places.set(place, new Set([...(places.get(place) ?? []), ...Object.keys(vars)]));
  }
  const named = [...places].filter(([, names]) => names.size > 0);
  const keys: Vars = Object.assign({}, ...[api, site].flatMap(({ taken }) => Object.values(taken)));
  const others = othersThanOurs(site, port);
  const isOwnApi = others.some(({ lead }) => lead === "SUBSCRIPTION_API_URL");
  // Another API's secret key is its own.
  const hasKey = (isOwnApi ? ["STRIPE_SECRET_KEY"] : STRIPE_KEYS).some(
    (name) => keys[name] && keys[name] !== api.defaults[name] && keys[name] !== site.defaults[name],
  );
  const reset: Vars = Object.fromEntries(others.flatMap(({ names }) => names.map((name) => [name, ""])));
  return {
    vars: {
      site: { ...varsOf(site), ...reset },
      "subscription-api": varsOf(api),
      "stripe-simulator": varsOf(simulator),
    },
    lines: [
      ...named.map(([place, names]) => `Settings from ${place}: ${[...names].join(", ")}`),
      ...others
        .filter(({ names }) => names.length > 0)
        .map(
          ({ lead, place, names }) => `Back at their defaults, because ${lead} is from ${place}: ${names.join(", ")}`,
        ),
    ],
    stripe: hasKey ? { ...environment, ...keys } : undefined,
  };
}

/** The keys of `BESIDE` whose values are not wrangler.toml's, where they come from, and the names that are not set there too. */
function othersThanOurs({ defaults, taken }: Read, port: number) {
  const ours = onPorts(defaults, port);
  return Object.entries(BESIDE).flatMap(([lead, beside]) => {
    const [place = "", vars = {}] = Object.entries(taken).findLast(([, vars]) => vars[lead]) ?? [];
    if (!vars[lead] || vars[lead] === ours[lead]) return [];
    return { lead, place, names: beside.filter((name) => !vars[name]) };
  });
}

function read(name: WorkerName, environment: NodeJS.ProcessEnv, folder: string): Read {
  const worker = join(folder, WORKERS[name].folder);
  const config = join(worker, "wrangler.toml");
  const { vars } = readWorkerSettings(config);
  const defaults = Object.fromEntries(Object.entries(vars).map(([setting, value]) => [setting, String(value)]));
  const ofFile: Vars = {};
  for (const [setting, { type, value }] of Object.entries(
    unstable_getVarsForDev(config, undefined, vars, undefined, true),
  )) {
    if (type === "secret_text") ofFile[setting] = value;
  }
  const ofEnvironment: Vars = {};
  for (const setting of [...Object.keys(defaults), ...DECLARED[name]]) {
    const value = environment[setting];
    // An empty variable counts as unset, and npm start reads HOST itself.
    if (value && setting !== "HOST") ofEnvironment[setting] = value;
  }
  const file = existsSync(join(worker, ".dev.vars")) ? ".dev.vars" : ".env";
  return {
    defaults,
    taken: { [joinWithSlashes(WORKERS[name].folder, file)]: ofFile, "the environment": ofEnvironment },
  };
}
