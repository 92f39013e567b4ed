import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";

/** What the Worker needs to run, parsed once from its bindings. */
export type Config = {
  db: D1Database;
  stripe: StripeConfig;
};

export type StripeConfig = {
  secretKey: string;
  webhookSecret: string;
  /** Where Stripe's API is when it is not Stripe's own: a loopback address. */
  apiUrl?: URL | undefined;
};

/** Either a usable configuration, or the names of the bindings that are missing or wrong: never their values. */
export type ConfigResult = { status: "ok"; config: Config } | { status: "invalid"; keys: string[] };

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An empty variable is one that is not set: wrangler.toml cannot leave out what the top level has. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}

const bindings = z
  .object({
    DB: z.custom<D1Database>((value) => typeof value === "object" && value !== null && "prepare" in value),
    STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_(test|live)_\w+$/, { abort: true }),
    STRIPE_WEBHOOK_SECRET: z.string().regex(/^whsec_\S{16,}$/, { abort: true }),
    STRIPE_API_URL: optional(
      z.url({ protocol: /^https?$/ }).refine((url) => LOOPBACK_HOSTS.has(new URL(url).hostname)),
    ),
    STRIPE_PUBLISHABLE_KEY: optional(z.string().regex(/^pk_(test|live)_\w+$/)),
  })
  .superRefine((env, context) => {
    const wrong = (key: keyof typeof env) => context.addIssue({ code: "custom", path: [key], message: "refused" });
    const live = isLive(env.STRIPE_SECRET_KEY);

    if (env.STRIPE_API_URL === undefined) {
      // The local defaults are pretend secrets: Stripe itself is never called with one.
      if (!/^[sr]k_(test|live)_\w{16,}$/.test(env.STRIPE_SECRET_KEY)) wrong("STRIPE_SECRET_KEY");
      if (env.STRIPE_WEBHOOK_SECRET.startsWith("whsec_local")) wrong("STRIPE_WEBHOOK_SECRET");
    } else if (live) {
      wrong("STRIPE_API_URL");
    }
    if (env.STRIPE_PUBLISHABLE_KEY !== undefined && isLive(env.STRIPE_PUBLISHABLE_KEY) !== live) {
      wrong("STRIPE_PUBLISHABLE_KEY");
      wrong("STRIPE_SECRET_KEY");
    }
  });

function isLive(key: string): boolean {
  return key.includes("_live_");
}

/**
 * Reads the Worker's bindings.
 * @param env the bindings as the runtime gives them
 */
export function readConfig(env: unknown): ConfigResult {
  const parsed = bindings.safeParse(env);
  if (!parsed.success) {
    return { status: "invalid", keys: [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].sort() };
  }
  const { DB, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } = parsed.data;
  return {
    status: "ok",
    config: {
      db: DB,
      stripe: {
        secretKey: STRIPE_SECRET_KEY,
        webhookSecret: STRIPE_WEBHOOK_SECRET,
        apiUrl: STRIPE_API_URL === undefined ? undefined : new URL(STRIPE_API_URL),
      },
    },
  };
}
