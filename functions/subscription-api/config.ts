import type { D1Database, RateLimit, SendEmail } from "@cloudflare/workers-types";
import * as z from "zod";
import type { FunnelDataset } from "../../app/contract/funnel-steps";
import { API_SECRET } from "../../app/contract/site-headers";
import { release } from "../../app/shared/release";
import {
  type ConfigurationProblem,
  type ConfigurationResult,
  deadlineFactor,
  isLoopback,
  onHost,
  problemsOf,
  serviceUrl,
  withoutEmpty,
} from "../../app/shared/settings";
import { isLocal, LOCAL_SECRETS, TEST_MODE_API_URL } from "./local-development";

function binding<T>(method: string) {
  return z.custom<T>((value) => typeof value === "object" && value !== null && method in value, "is missing");
}

const email = z.email("must be an email address");

const secret = z.string().min(32, { error: "must have at least 32 characters", abort: true });

/** A comma separates two secrets during a rotation. */
function newAndOld(one: z.ZodType<string, string>) {
  return z
    .string()
    .transform((value) => value.split(","))
    .pipe(z.array(one).max(2, "must be one secret, or the new and the old one with a comma between them"));
}

/** Without a trailing slash, since paths are appended. */
const baseUrl = serviceUrl.check(z.overwrite((url) => url.replace(/\/+$/, "")));

const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, "must be a number from 1 to 9999999")
  .transform(Number);

const boolean = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

/** docs/configuration.md */
export const settings = z.object({
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
  STRIPE_API_URL: z.optional(z.string()),
  STRIPE_PUBLISHABLE_KEY: z.optional(z.string().regex(/^pk_(test|live)_\w+$/, "must be a publishable key (pk_…)")),
  EMAIL: binding<SendEmail>("send").optional(),
  MAIL_API_URL: z.optional(serviceUrl),
  MAIL_API_KEY: z.optional(z.string()),
  MAIL_FROM: email,
  COMPANY_NAME: z.string(),
  CONSOLE_URL: serviceUrl,
  CUSTOMER_PORTAL_URL: serviceUrl,
  SUPPORT_EMAIL: email,
  CONSOLE_WEBHOOK_URL: z.optional(serviceUrl),
  CONSOLE_WEBHOOK_SECRET: z.optional(
    z.string().regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be whsec_ and 24 to 64 bytes in Base64"),
  ),
  OPERATOR_TOKEN: z.optional(z.string().min(32, "must have at least 32 characters")),
  ACCESS_URL: z.optional(baseUrl),
  ACCESS_AUDIENCE: z.optional(z.string().regex(/^[0-9a-f]{64}$/, "must be the application's tag, 64 hex digits")),
  FUNNEL_SQL_URL: z.optional(serviceUrl),
  FUNNEL_SQL_TOKEN: z.optional(z.string()),
  FUNNEL_DATASET: z.optional(z.string().regex(/^\w{1,96}$/, "must be a dataset's name")),
  SUBSCRIPTION_API_SECRET: z.optional(
    newAndOld(z.string().regex(API_SECRET, "must have 32 to 256 characters, and no spaces")),
  ),
  SIGNUP_RATE_LIMIT: binding<RateLimit>("limit"),
  OPERATOR_RATE_LIMIT: binding<RateLimit>("limit"),
  HOST: z.string().optional(),
  DEADLINE_FACTOR: deadlineFactor,
  PASSWORD_COST: z.optional(
    z
      .string()
      .regex(/^([1-9]|1[0-4])$/, "must be a number from 1 to 14")
      .transform(Number),
  ),
  PUBLIC_URL: baseUrl,
  SITE_URL: baseUrl,
  SALES_EMAIL: email,
  LINK_SECRET: newAndOld(secret),
  HASH_SECRET: secret,
  MAINTENANCE: z.optional(z.literal("true", "must be true, or absent")),
  ONE_TRIAL_PER_PERSON: boolean,
  AUTOMATIC_TAX: z.optional(boolean),
  REFUND_REPORTED: z.optional(boolean),
  SIGN_UPS_PER_EMAIL_A_DAY: count,
  SIGN_UPS_PER_SENDER_A_DAY: count,
  SIGN_UPS_PER_NETWORK_A_DAY: count,
});

type Settings = z.output<typeof settings>;

/** Reports the second setting as missing if only the first is set. */
const NEEDS: [keyof Settings, keyof Settings][] = [
  ["MAIL_API_URL", "MAIL_API_KEY"],
  ["ACCESS_URL", "ACCESS_AUDIENCE"],
  ["ACCESS_AUDIENCE", "ACCESS_URL"],
  ["FUNNEL_SQL_URL", "FUNNEL_SQL_TOKEN"],
  ["FUNNEL_SQL_URL", "FUNNEL_DATASET"],
  ["CONSOLE_WEBHOOK_URL", "CONSOLE_WEBHOOK_SECRET"],
];

const localSecrets = new Set<unknown>(Object.values(LOCAL_SECRETS));

function checkTogether(env: Settings, context: z.RefinementCtx): void {
  const refuse = (key: string, problem: string) => context.addIssue({ code: "custom", path: [key], message: problem });
  const isLive = isLiveKey(env.STRIPE_SECRET_KEY);

  if (env.STRIPE_API_URL === undefined) {
    if (!/^[sr]k_(test|live)_\w{16,}$/.test(env.STRIPE_SECRET_KEY)) refuse("STRIPE_SECRET_KEY", "is the local value");
    if (env.HOST !== undefined) refuse("HOST", "is for local development only");
    if (env.DEADLINE_FACTOR !== 1) refuse("DEADLINE_FACTOR", "is for local development only");
    if (env.PASSWORD_COST !== undefined) refuse("PASSWORD_COST", "is for local development only");
    for (const [key, value] of Object.entries(env)) {
      if (typeof value === "string" && isLoopback(value)) refuse(key, "must not be on this machine");
      if ([value].flat().some((one) => localSecrets.has(one))) refuse(key, "is the local value");
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
  for (const [key, needed] of NEEDS) {
    if (env[key] !== undefined && env[needed] === undefined) refuse(needed, "is missing");
  }
}

const isLiveKey = (key: string) => key.includes("_live_");

const config = settings.superRefine(checkTogether).transform((env) => ({
  isLocal: env.STRIPE_API_URL !== undefined,
  /** Only operators can write (docs/operations.md, "Restoring the database"). */
  inMaintenance: env.MAINTENANCE !== undefined,
  release: env.RELEASE,
  deadlineFactor: env.DEADLINE_FACTOR,
  /** log2 of scrypt's N, for tests that are not about passwords; a deployment has the hasher's own. */
  passwordCost: env.PASSWORD_COST,
  d1: env.DB,
  /** Counts the funnel's steps; without it they go to the log. */
  funnel: env.FUNNEL,
  /** Empty if sign-ups arrive only through the service binding. */
  siteSecrets: env.SUBSCRIPTION_API_SECRET ?? [],
  limits: { signUps: env.SIGNUP_RATE_LIMIT, operator: env.OPERATOR_RATE_LIMIT },
  stripe: {
    secretKey: env.STRIPE_SECRET_KEY,
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
    /** A stand-in for Stripe on this machine, or Stripe's test mode for a Worker on this machine. */
    ...(env.DEADLINE_FACTOR !== 1 && { deadlineFactor: env.DEADLINE_FACTOR }),
    ...(env.STRIPE_API_URL !== undefined && { apiUrl: new URL(env.STRIPE_API_URL) }),
  },
  automaticTax: env.AUTOMATIC_TAX ?? false,
  /** Whether to refund charges of a sign-up reported as "not me". */
  refundsReported: env.REFUND_REPORTED ?? true,
  mail: {
    transport: transportOf(env),
    from: env.MAIL_FROM,
    companyName: env.COMPANY_NAME,
    consoleUrl: env.CONSOLE_URL,
    customerPortalUrl: forBrowsers(env.CUSTOMER_PORTAL_URL, env),
    siteUrl: forBrowsers(env.SITE_URL, env),
    supportEmail: env.SUPPORT_EMAIL,
    salesEmail: env.SALES_EMAIL,
  },
  /** The first key signs; every key verifies. */
  links: { publicUrl: forBrowsers(env.PUBLIC_URL, env), secrets: env.LINK_SECRET },
  trials: {
    hashSecret: env.HASH_SECRET,
    onePerPerson: env.ONE_TRIAL_PER_PERSON,
    signUpsPerDay: {
      email: env.SIGN_UPS_PER_EMAIL_A_DAY,
      sender: env.SIGN_UPS_PER_SENDER_A_DAY,
      network: env.SIGN_UPS_PER_NETWORK_A_DAY,
    },
  },
  console:
    env.CONSOLE_WEBHOOK_URL !== undefined && env.CONSOLE_WEBHOOK_SECRET !== undefined
      ? { url: env.CONSOLE_WEBHOOK_URL, secret: env.CONSOLE_WEBHOOK_SECRET }
      : undefined,
  operatorToken: env.OPERATOR_TOKEN,
  /** An application of Cloudflare Access in front of the operator routes; the team's URL issues the tokens. */
  access:
    env.ACCESS_URL !== undefined && env.ACCESS_AUDIENCE !== undefined
      ? { url: env.ACCESS_URL, audience: env.ACCESS_AUDIENCE }
      : undefined,
  /** How the operator's page reads the funnel: https://developers.cloudflare.com/analytics/analytics-engine/sql-api/ */
  funnelReader:
    env.FUNNEL_SQL_URL !== undefined && env.FUNNEL_SQL_TOKEN !== undefined && env.FUNNEL_DATASET !== undefined
      ? { url: env.FUNNEL_SQL_URL, token: env.FUNNEL_SQL_TOKEN, dataset: env.FUNNEL_DATASET }
      : undefined,
}));

function forBrowsers(url: string, { HOST }: Settings): string {
  return HOST === undefined ? url : onHost(url, HOST);
}

type Transport = { kind: "cloudflare"; binding: SendEmail } | { kind: "http"; url: string; key: string };

function transportOf({ EMAIL, MAIL_API_URL, MAIL_API_KEY }: Settings): Transport {
  if (MAIL_API_URL !== undefined && MAIL_API_KEY !== undefined) {
    return { kind: "http", url: MAIL_API_URL, key: MAIL_API_KEY };
  }
  if (EMAIL !== undefined) return { kind: "cloudflare", binding: EMAIL };
  throw new Error("The configuration has no mail transport");
}

export type Config = z.output<typeof config>;
export type StripeConfig = Config["stripe"];
export type MailConfig = Config["mail"];
export type LinkConfig = Config["links"];
export type TrialConfig = Config["trials"];
export type ConsoleConfig = NonNullable<Config["console"]>;
export type AccessConfig = NonNullable<Config["access"]>;
export type FunnelReader = NonNullable<Config["funnelReader"]>;

export function keysOf(problems: ConfigurationProblem[]): string[] {
  return problems.map(({ name }) => name).sort();
}

const known = new WeakMap<object, ConfigurationResult<Config>>();

/** Parsed once per isolate, where every request has the same `env` object. */
export function readConfig(env: unknown): ConfigurationResult<Config> {
  if (typeof env !== "object" || env === null) return parseConfig(env);
  const result = known.get(env) ?? parseConfig(env);
  known.set(env, result);
  return result;
}

function parseConfig(env: unknown): ConfigurationResult<Config> {
  const parsed = config.safeParse(withoutEmpty(env));
  return parsed.success
    ? { status: "valid", configuration: parsed.data }
    : { status: "invalid", problems: problemsOf(parsed.error) };
}
