import type { D1Database, RateLimit, SendEmail } from "@cloudflare/workers-types";
import * as z from "zod";
import {
  type ConfigurationProblem,
  type ConfigurationResult,
  isLoopback,
  problemsOf,
  serviceUrl,
} from "../../app/contract/configuration";
import type { FunnelDataset } from "../../app/contract/funnel";
import { release } from "../../app/contract/release";
import { API_SECRET } from "../../app/contract/site-headers";
import { isLocal, LOCAL_SECRETS, TEST_MODE_API_URL } from "./local-development";

export type Config = {
  /** Whether the settings are those of local development. */
  isLocal: boolean;
  /** The id of the deployed version. */
  release: string;
  db: D1Database;
  /** Where the steps of sign-ups are counted; the log when absent. */
  funnel?: FunnelDataset | undefined;
  /** Any of them proves that a request comes from the site; none where only the service binding reaches sign-ups. */
  siteSecrets: string[];
  limits: { signUps: RateLimit; operator: RateLimit };
  stripe: StripeConfig;
  mail: MailConfig;
  links: LinkConfig;
  trials: TrialConfig;
  /** Account webhooks wait until this is set. */
  console?: ConsoleConfig | undefined;
  /** Without it and without Access there are no operator routes. */
  operatorToken?: string | undefined;
  access?: AccessConfig | undefined;
  /** How the operator's page reads what was counted. */
  funnelReader?: FunnelReader | undefined;
};

/** https://developers.cloudflare.com/analytics/analytics-engine/sql-api/ */
export type FunnelReader = { url: string; token: string; dataset: string };

/** An application of Cloudflare Access in front of the operator routes. */
export type AccessConfig = {
  /** Of the team, which issues the tokens. */
  url: string;
  audience: string;
};

export type StripeConfig = {
  secretKey: string;
  webhookSecret: string;
  /** A stand-in for Stripe on this machine, or Stripe's test mode for a Worker on this machine. */
  apiUrl?: URL | undefined;
};

export type MailConfig = {
  transport: { kind: "cloudflare"; binding: SendEmail } | { kind: "http"; url: string; key: string };
  from: string;
  companyName: string;
  consoleUrl: string;
  customerPortalUrl: string;
  siteUrl: string;
  supportEmail: string;
  salesEmail: string;
};

/** The first secret signs, each of them verifies. */
export type LinkConfig = { publicUrl: string; secrets: string[] };

export type TrialConfig = {
  /** Keys the hashes of e-mail addresses, cards and senders. */
  hashSecret: string;
  /** One trial for each mailbox and card, not only for each e-mail address. */
  onePerPerson: boolean;
  signUpsPerDay: { email: number; sender: number };
};

export type ConsoleConfig = { url: string; secret: string };

/** An environment of wrangler.toml can empty a variable of the top level, not remove it. */
function optional<T extends z.core.$ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), z.optional(schema));
}

function binding<T>(method: string) {
  return z.custom<T>((value) => typeof value === "object" && value !== null && method in value, "is missing");
}

const email = z.email("must be an e-mail address");

const secret = z.string().min(32, { error: "must have at least 32 characters", abort: true });

/** Paths are appended to it. */
const baseUrl = serviceUrl.check(z.overwrite((url) => url.replace(/\/+$/, "")));

const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, "must be a number from 1 to 9999999")
  .transform(Number);

const settings = z
  .object({
    DB: binding<D1Database>("prepare"),
    FUNNEL: binding<FunnelDataset>("writeDataPoint").optional(),
    RELEASE: release,
    STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_(test|live)_\w+$/, {
      error: "must be a secret key (sk_… or rk_…)",
      abort: true,
    }),
    STRIPE_WEBHOOK_SECRET: z.string().regex(/^whsec_\S{16,}$/, {
      error: "must be a signing secret (whsec_…)",
      abort: true,
    }),
    STRIPE_API_URL: optional(z.string()),
    STRIPE_PUBLISHABLE_KEY: optional(z.string().regex(/^pk_(test|live)_\w+$/, "must be a publishable key (pk_…)")),
    EMAIL: binding<SendEmail>("send").optional(),
    MAIL_API_URL: optional(serviceUrl),
    MAIL_API_KEY: optional(z.string()),
    MAIL_FROM: email,
    COMPANY_NAME: z.string().min(1, "is missing"),
    CONSOLE_URL: serviceUrl,
    CUSTOMER_PORTAL_URL: serviceUrl,
    SUPPORT_EMAIL: email,
    CONSOLE_WEBHOOK_URL: optional(serviceUrl),
    // Standard Webhooks, "Signature scheme".
    CONSOLE_WEBHOOK_SECRET: optional(
      z.string().regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be whsec_ and 24 to 64 bytes in Base64"),
    ),
    OPERATOR_TOKEN: optional(z.string().min(32, "must have at least 32 characters")),
    ACCESS_URL: optional(baseUrl),
    ACCESS_AUDIENCE: optional(z.string().regex(/^[0-9a-f]{64}$/, "must be the application's tag, 64 hex digits")),
    FUNNEL_SQL_URL: optional(serviceUrl),
    FUNNEL_SQL_TOKEN: optional(z.string()),
    FUNNEL_DATASET: optional(z.string().regex(/^\w{1,96}$/, "must be a dataset's name")),
    SUBSCRIPTION_API_SECRET: optional(
      z
        .string()
        .transform((value) => value.split(","))
        .pipe(
          z
            .array(z.string().regex(API_SECRET, "must have 32 to 256 characters, and no spaces"))
            .max(2, "must be one secret, or the new and the old one with a comma between them"),
        ),
    ),
    SIGNUP_RATE_LIMIT: binding<RateLimit>("limit"),
    OPERATOR_RATE_LIMIT: binding<RateLimit>("limit"),
    PUBLIC_URL: baseUrl,
    SITE_URL: baseUrl,
    SALES_EMAIL: email,
    LINK_SECRET: z
      .string()
      .transform((value) => value.split(","))
      .pipe(z.array(secret).max(2, "must be one secret, or the new and the old one with a comma between them")),
    HASH_SECRET: secret,
    ONE_TRIAL_PER_PERSON: z.enum(["true", "false"], "must be true or false"),
    SIGN_UPS_PER_EMAIL_A_DAY: count,
    SIGN_UPS_PER_SENDER_A_DAY: count,
  })
  .superRefine((env, context) => {
    const refuse = (key: keyof typeof env, problem: string) =>
      context.addIssue({ code: "custom", path: [key], message: problem });
    const isLive = isLiveKey(env.STRIPE_SECRET_KEY);

    if (env.STRIPE_API_URL === undefined) {
      if (!/^[sr]k_(test|live)_\w{16,}$/.test(env.STRIPE_SECRET_KEY)) refuse("STRIPE_SECRET_KEY", "is the local value");
      for (const key of [
        "STRIPE_WEBHOOK_SECRET",
        "CONSOLE_WEBHOOK_SECRET",
        "MAIL_API_KEY",
        "OPERATOR_TOKEN",
        "LINK_SECRET",
        "HASH_SECRET",
      ] as const) {
        if ([env[key]].flat().includes(LOCAL_SECRETS[key])) refuse(key, "is the local value");
      }
      for (const key of [
        "MAIL_API_URL",
        "CONSOLE_URL",
        "CONSOLE_WEBHOOK_URL",
        "ACCESS_URL",
        "FUNNEL_SQL_URL",
        "CUSTOMER_PORTAL_URL",
        "PUBLIC_URL",
        "SITE_URL",
      ] as const) {
        if (env[key] !== undefined && isLoopback(env[key])) refuse(key, "must not be on this machine");
      }
    } else if (isLive) {
      refuse("STRIPE_API_URL", "must be empty with a live key");
    } else if (!isLocal(env)) {
      refuse("STRIPE_API_URL", `must be on this machine, or ${TEST_MODE_API_URL} where PUBLIC_URL is on this machine`);
    }
    if (env.STRIPE_PUBLISHABLE_KEY !== undefined && isLiveKey(env.STRIPE_PUBLISHABLE_KEY) !== isLive) {
      refuse("STRIPE_PUBLISHABLE_KEY", "is not of the secret key's mode");
      refuse("STRIPE_SECRET_KEY", "is not of the publishable key's mode");
    }
    if (!env.EMAIL && !env.MAIL_API_URL) refuse("MAIL_API_URL", "is missing, and there is no EMAIL binding");
    if (env.MAIL_API_URL !== undefined && env.MAIL_API_KEY === undefined) refuse("MAIL_API_KEY", "is missing");
    if (env.ACCESS_URL && !env.ACCESS_AUDIENCE) refuse("ACCESS_AUDIENCE", "is missing");
    if (env.ACCESS_AUDIENCE && !env.ACCESS_URL) refuse("ACCESS_URL", "is missing");
    if (env.FUNNEL_SQL_URL && !env.FUNNEL_SQL_TOKEN) refuse("FUNNEL_SQL_TOKEN", "is missing");
    if (env.FUNNEL_SQL_URL && !env.FUNNEL_DATASET) refuse("FUNNEL_DATASET", "is missing");
    if (env.CONSOLE_WEBHOOK_URL && !env.CONSOLE_WEBHOOK_SECRET) refuse("CONSOLE_WEBHOOK_SECRET", "is missing");
  });

function isLiveKey(key: string): boolean {
  return key.includes("_live_");
}

/** All that logs and answers tell of a wrong configuration. */
export function keysOf(problems: ConfigurationProblem[]): string[] {
  return problems.map(({ name }) => name).sort();
}

const known = new WeakMap<object, ConfigurationResult<Config>>();

/** Reads the Worker's bindings, once for each isolate: they are the same object in each of its requests. */
export function readConfig(env: unknown): ConfigurationResult<Config> {
  if (typeof env !== "object" || env === null) return parseConfig(env);
  const result = known.get(env) ?? parseConfig(env);
  known.set(env, result);
  return result;
}

function parseConfig(env: unknown): ConfigurationResult<Config> {
  const parsed = settings.safeParse(env);
  if (!parsed.success) return { status: "invalid", problems: problemsOf(parsed.error) };
  return { status: "valid", configuration: toConfig(parsed.data) };
}

function toConfig(env: z.output<typeof settings>): Config {
  return {
    isLocal: env.STRIPE_API_URL !== undefined,
    release: env.RELEASE,
    db: env.DB,
    funnel: env.FUNNEL,
    siteSecrets: env.SUBSCRIPTION_API_SECRET ?? [],
    limits: { signUps: env.SIGNUP_RATE_LIMIT, operator: env.OPERATOR_RATE_LIMIT },
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
      customerPortalUrl: env.CUSTOMER_PORTAL_URL,
      siteUrl: env.SITE_URL,
      supportEmail: env.SUPPORT_EMAIL,
      salesEmail: env.SALES_EMAIL,
    },
    links: { publicUrl: env.PUBLIC_URL, secrets: env.LINK_SECRET },
    trials: {
      hashSecret: env.HASH_SECRET,
      onePerPerson: env.ONE_TRIAL_PER_PERSON === "true",
      signUpsPerDay: { email: env.SIGN_UPS_PER_EMAIL_A_DAY, sender: env.SIGN_UPS_PER_SENDER_A_DAY },
    },
    console:
      env.CONSOLE_WEBHOOK_URL !== undefined && env.CONSOLE_WEBHOOK_SECRET !== undefined
        ? { url: env.CONSOLE_WEBHOOK_URL, secret: env.CONSOLE_WEBHOOK_SECRET }
        : undefined,
    operatorToken: env.OPERATOR_TOKEN,
    access:
      env.ACCESS_URL !== undefined && env.ACCESS_AUDIENCE !== undefined
        ? { url: env.ACCESS_URL, audience: env.ACCESS_AUDIENCE }
        : undefined,
    funnelReader:
      env.FUNNEL_SQL_URL !== undefined && env.FUNNEL_SQL_TOKEN !== undefined && env.FUNNEL_DATASET !== undefined
        ? { url: env.FUNNEL_SQL_URL, token: env.FUNNEL_SQL_TOKEN, dataset: env.FUNNEL_DATASET }
        : undefined,
  };
}

function transportOf({ EMAIL, MAIL_API_URL, MAIL_API_KEY }: z.output<typeof settings>): MailConfig["transport"] {
  if (MAIL_API_URL !== undefined && MAIL_API_KEY !== undefined) {
    return { kind: "http", url: MAIL_API_URL, key: MAIL_API_KEY };
  }
  if (EMAIL !== undefined) return { kind: "cloudflare", binding: EMAIL };
  throw new Error("The configuration has no mail transport");
}
