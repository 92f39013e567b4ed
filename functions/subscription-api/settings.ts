import type { D1Database, RateLimit, SendEmail } from "@cloudflare/workers-types";
import * as z from "zod";
import { isLoopback, serviceUrl } from "../../app/contract/configuration";
import type { FunnelDataset } from "../../app/contract/funnel";
import { release } from "../../app/contract/release";
import { API_SECRET } from "../../app/contract/site-headers";
import { isLocal, LOCAL_SECRETS, TEST_MODE_API_URL } from "./local-development";

/** An environment of wrangler.toml can empty a variable of the top level, not remove it. */
function optional<T extends z.core.$ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), z.optional(schema));
}

function binding<T>(method: string) {
  return z.custom<T>((value) => typeof value === "object" && value !== null && method in value, "is missing");
}

const email = z.email("must be an e-mail address");

const secret = z.string().min(32, { error: "must have at least 32 characters", abort: true });

/** A secret; while it is changed the new and the old one, with a comma between them. */
function newAndOld(one: z.ZodType<string, string>) {
  return z
    .string()
    .transform((value) => value.split(","))
    .pipe(z.array(one).max(2, "must be one secret, or the new and the old one with a comma between them"));
}

/** Paths are appended to it. */
const baseUrl = serviceUrl.check(z.overwrite((url) => url.replace(/\/+$/, "")));

const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, "must be a number from 1 to 9999999")
  .transform(Number);

/** The Worker's bindings (docs/configuration.md), and what they have to be together. */
export const settings = z
  .object({
    DB: binding<D1Database>("prepare"),
    FUNNEL: binding<FunnelDataset>("writeDataPoint").optional(),
    RELEASE: release,
    STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_(test|live)_\w+$/, {
      error: "must be a secret key (sk_… or rk_…)",
      abort: true,
    }),
    STRIPE_WEBHOOK_SECRET: newAndOld(
      z.string().regex(/^whsec_\S{16,}$/, { error: "must be a signing secret (whsec_…)", abort: true }),
    ),
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
      newAndOld(z.string().regex(API_SECRET, "must have 32 to 256 characters, and no spaces")),
    ),
    SIGNUP_RATE_LIMIT: binding<RateLimit>("limit"),
    OPERATOR_RATE_LIMIT: binding<RateLimit>("limit"),
    PUBLIC_URL: baseUrl,
    SITE_URL: baseUrl,
    SALES_EMAIL: email,
    LINK_SECRET: newAndOld(secret),
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
