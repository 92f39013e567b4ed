import type { D1Database, SendEmail } from "@cloudflare/workers-types";
import * as z from "zod";

/** What the Worker needs to run, parsed once from its bindings. */
export type Config = {
  db: D1Database;
  stripe: StripeConfig;
  mail: MailConfig;
  /** Where account webhooks go; without it they wait. */
  console?: ConsoleConfig | undefined;
  /** Who shows this token may export and erase a person's data; without it nobody may. */
  operatorToken?: string | undefined;
};

export type StripeConfig = {
  secretKey: string;
  webhookSecret: string;
  /** Where Stripe's API is when it is not Stripe's own: a loopback address. */
  apiUrl?: URL | undefined;
};

export type MailConfig = {
  transport: { kind: "cloudflare"; binding: SendEmail } | { kind: "http"; url: string; key: string };
  /** The sender's address; its name is the company's. */
  from: string;
  companyName: string;
  consoleUrl: string;
  supportEmail: string;
};

export type ConsoleConfig = { url: string; secret: string };

/** Either a usable configuration, or the names of the bindings that are missing or wrong: never their values. */
export type ConfigResult = { status: "valid"; config: Config } | { status: "invalid"; keys: string[] };

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Secrets that wrangler.toml gives for local development; no deployment may run with one. */
const LOCAL_SECRETS = {
  STRIPE_WEBHOOK_SECRET: "whsec_local_development_only",
  CONSOLE_WEBHOOK_SECRET: "whsec_bG9jYWwtZGV2ZWxvcG1lbnQtb25seS1uZXZlci1kZXBsb3k=",
  MAIL_API_KEY: "re_local_development_only",
  OPERATOR_TOKEN: "only-for-local-development-never-for-a-deployment",
} as const;

/** An empty variable is one that is not set: wrangler.toml cannot leave out what the top level has. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}

/** https, or http on this machine; without credentials. */
const address = z.url({ protocol: /^https?$/ }).refine((value) => {
  const url = new URL(value);
  return url.username === "" && url.password === "" && (url.protocol === "https:" || isLoopback(value));
});

const bindings = z
  .object({
    DB: z.custom<D1Database>((value) => typeof value === "object" && value !== null && "prepare" in value),
    STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_(test|live)_\w+$/, { abort: true }),
    STRIPE_WEBHOOK_SECRET: z.string().regex(/^whsec_\S{16,}$/, { abort: true }),
    STRIPE_API_URL: optional(z.url({ protocol: /^https?$/ }).refine(isLoopback)),
    STRIPE_PUBLISHABLE_KEY: optional(z.string().regex(/^pk_(test|live)_\w+$/)),
    EMAIL: z.custom<SendEmail>((value) => typeof value === "object" && value !== null && "send" in value).optional(),
    MAIL_API_URL: optional(address),
    MAIL_API_KEY: optional(z.string()),
    MAIL_FROM: z.email(),
    COMPANY_NAME: z.string().min(1),
    CONSOLE_URL: address,
    SUPPORT_EMAIL: z.email(),
    CONSOLE_WEBHOOK_URL: optional(address),
    // 24 to 64 bytes in Base64 (Standard Webhooks, "Signature scheme").
    CONSOLE_WEBHOOK_SECRET: optional(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/)),
    OPERATOR_TOKEN: optional(z.string().min(32)),
  })
  .superRefine((env, context) => {
    const wrong = (key: keyof typeof env) => context.addIssue({ code: "custom", path: [key], message: "refused" });
    const live = isLive(env.STRIPE_SECRET_KEY);

    if (env.STRIPE_API_URL === undefined) {
      // The local defaults are pretend secrets, known to everybody; nothing of a deployment is on this machine.
      if (!/^[sr]k_(test|live)_\w{16,}$/.test(env.STRIPE_SECRET_KEY)) wrong("STRIPE_SECRET_KEY");
      for (const key of [
        "STRIPE_WEBHOOK_SECRET",
        "CONSOLE_WEBHOOK_SECRET",
        "MAIL_API_KEY",
        "OPERATOR_TOKEN",
      ] as const) {
        if (env[key] === LOCAL_SECRETS[key]) wrong(key);
      }
      for (const key of ["MAIL_API_URL", "CONSOLE_URL", "CONSOLE_WEBHOOK_URL"] as const) {
        if (env[key] !== undefined && isLoopback(env[key])) wrong(key);
      }
    } else if (live) {
      wrong("STRIPE_API_URL");
    }
    if (env.STRIPE_PUBLISHABLE_KEY !== undefined && isLive(env.STRIPE_PUBLISHABLE_KEY) !== live) {
      wrong("STRIPE_PUBLISHABLE_KEY");
      wrong("STRIPE_SECRET_KEY");
    }
    if (env.EMAIL === undefined && env.MAIL_API_URL === undefined) wrong("MAIL_API_URL");
    if (env.MAIL_API_URL !== undefined && env.MAIL_API_KEY === undefined) wrong("MAIL_API_KEY");
    if (env.CONSOLE_WEBHOOK_URL !== undefined && env.CONSOLE_WEBHOOK_SECRET === undefined) {
      wrong("CONSOLE_WEBHOOK_SECRET");
    }
  });

function isLive(key: string): boolean {
  return key.includes("_live_");
}

function isLoopback(url: string): boolean {
  return LOOPBACK_HOSTS.has(new URL(url).hostname);
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
  return { status: "valid", config: toConfig(parsed.data) };
}

function toConfig(env: z.output<typeof bindings>): Config {
  return {
    db: env.DB,
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY,
      webhookSecret: env.STRIPE_WEBHOOK_SECRET,
      apiUrl: env.STRIPE_API_URL === undefined ? undefined : new URL(env.STRIPE_API_URL),
    },
    mail: {
      transport: transportOf(env),
      from: env.MAIL_FROM,
      companyName: env.COMPANY_NAME,
      consoleUrl: env.CONSOLE_URL,
      supportEmail: env.SUPPORT_EMAIL,
    },
    console:
      env.CONSOLE_WEBHOOK_URL !== undefined && env.CONSOLE_WEBHOOK_SECRET !== undefined
        ? { url: env.CONSOLE_WEBHOOK_URL, secret: env.CONSOLE_WEBHOOK_SECRET }
        : undefined,
    operatorToken: env.OPERATOR_TOKEN,
  };
}

/** The HTTP provider when one is set, else Cloudflare's binding. */
function transportOf({ EMAIL, MAIL_API_URL, MAIL_API_KEY }: z.output<typeof bindings>): MailConfig["transport"] {
  if (MAIL_API_URL !== undefined && MAIL_API_KEY !== undefined) {
    return { kind: "http", url: MAIL_API_URL, key: MAIL_API_KEY };
  }
  if (EMAIL !== undefined) return { kind: "cloudflare", binding: EMAIL };
  throw new Error("The configuration was read without a mail transport");
}
