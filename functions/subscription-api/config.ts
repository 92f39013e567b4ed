import type { D1Database, RateLimit, SendEmail } from "@cloudflare/workers-types";
import * as z from "zod";
import { company } from "../../app/company";
import { SIGN_UP_HOURS, TRIAL_DAYS } from "../../app/contract/trial";
import { release } from "../../app/shared/settings/release";
import {
  binding,
  boolean,
  type ConfigurationProblem,
  type ConfigurationResult,
  isLoopback,
  isSecretName,
  newAndOld,
  onHost,
  secret,
  secretLike,
  serviceUrl,
  settingProblems,
  withoutEmpty,
  withoutQuery,
} from "../../app/shared/settings/settings";
import { modeProblem, stage } from "../../app/shared/settings/stripe-key-mode";
import { hasLocalStripe, LOCAL_SECRETS, TEST_MODE_API_URL } from "./local-development";

/** A URL to which paths are appended. Drops the trailing slash. */
const baseUrl = serviceUrl.check(
  withoutQuery,
  z.overwrite((url) => url.replace(/\/+$/, "")),
);

/** `npm run docs` writes each comment into the list of settings in docs/operations.md. */
export const settings = z.object({
  /** Binding: the D1 database. */
  DB: binding<D1Database>("prepare"),
  /** Binding: the deployed version, shown by `/health`. */
  RELEASE: release,
  /** As the site's. */
  STAGE: stage,
  /** Secret: Stripe's secret or restricted key, in the stage's mode. */
  STRIPE_SECRET_KEY: z
    .string()
    .trim()
    .regex(/^[sr]k_(test|live)_\w+$/, { error: "must be a secret key (sk_… or rk_…)", abort: true }),
  /** Secret: verifies Stripe's webhooks. `{new},{old}` during a rotation. */
  STRIPE_WEBHOOK_SECRET: newAndOld(secretLike(/^whsec_\S{16,}$/, "must be a signing secret (whsec_…)")),
  /** Replaces Stripe's API and makes the settings local; refused in a deployment. */
  STRIPE_API_URL: z.optional(z.string()),
  /** Binding: Cloudflare Email Service. */
  EMAIL: z.optional(binding<SendEmail>("send")),
  /** HTTP email provider in Resend's format, used instead of EMAIL. */
  MAIL_API_URL: z.optional(serviceUrl),
  /** Secret; required with MAIL_API_URL. */
  MAIL_API_KEY: z.optional(secretLike(/^\S+$/, "must have no spaces")),
  /** As the site's. */
  CONSOLE_URL: z._default(serviceUrl, company.consoleUrl),
  /** As the site's. */
  CUSTOMER_PORTAL_URL: serviceUrl,
  /** Receives account webhooks. Without it, they wait. */
  CONSOLE_WEBHOOK_URL: z.optional(serviceUrl),
  /** Secret; required with CONSOLE_WEBHOOK_URL: `whsec_` and 24 to 64 bytes in Base64. */
  CONSOLE_WEBHOOK_SECRET: z.optional(
    secretLike(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be whsec_ and 24 to 64 bytes in Base64"),
  ),
  /** Secret, 32 characters or more: the token of the operator's commands, which answer 404 without it. */
  OPERATOR_TOKEN: z.optional(
    secretLike(/^[\w.~+/-]{32,}=*$/, "must have at least 32 characters: letters, digits and -._~+/"),
  ),
  /** Binding: sign-ups from one sender. */
  SIGNUP_RATE_LIMIT: binding<RateLimit>("limit"),
  /** As the site's, in email links. */
  HOST: z.string().optional(),
  /** The API's own URL, for links in emails. */
  PUBLIC_URL: baseUrl,
  /** As the site's. */
  SITE_URL: baseUrl,
  /** Secret, 32 characters or more: signs links and status URLs. `{new},{old}` during a rotation. */
  LINK_SECRET: newAndOld(secret),
  /** Secret, 32 characters or more: hashes emails and cards. Never change it. */
  HASH_SECRET: secret,
  /** Secret, `true` during a restore: only operators and `/openapi.json` get no 503. */
  MAINTENANCE: z.optional(z.literal("true", "must be true, or absent")),
  /** True: one trial for each mailbox and card, not only for each email address. */
  ONE_TRIAL_PER_PERSON: boolean,
  /** As the site's. */
  AUTOMATIC_TAX: z.optional(boolean),
});

type Settings = z.output<typeof settings>;

/** Pairs of a setting and another setting that it requires. */
const NEEDS: [keyof Settings, keyof Settings][] = [
  ["MAIL_API_URL", "MAIL_API_KEY"],
  ["CONSOLE_WEBHOOK_URL", "CONSOLE_WEBHOOK_SECRET"],
];

const localSecrets = new Set<unknown>(Object.values(LOCAL_SECRETS));

function checkTogether(env: Settings, context: z.RefinementCtx): void {
  const refuse = (key: string, problem: string) => context.addIssue({ code: "custom", path: [key], message: problem });
  const wrongMode = modeProblem(env.STRIPE_SECRET_KEY, stageOf(env));
  if (wrongMode) refuse("STRIPE_SECRET_KEY", wrongMode);

  if (env.STRIPE_API_URL === undefined) {
    if (!/^[sr]k_(test|live)_\w{16,}$/.test(env.STRIPE_SECRET_KEY)) refuse("STRIPE_SECRET_KEY", "is the local value");
    if (env.HOST !== undefined) refuse("HOST", "is for local development only");
    for (const [key, value] of Object.entries(env)) {
      if (typeof value === "string" && isLoopback(value)) refuse(key, "must not be on this machine");
      if ([value].flat().some((one) => localSecrets.has(one))) refuse(key, "is the local value");
    }
    if (env.STAGE === undefined) refuse("STAGE", "is missing");
  } else if (!hasLocalStripe(env)) {
    refuse("STRIPE_API_URL", `must be on this machine, or ${TEST_MODE_API_URL} where PUBLIC_URL is on this machine`);
  }
  const seen = new Set<unknown>();
  for (const [key, value] of Object.entries(env).filter(([name]) => isSecretName(name))) {
    for (const one of [value ?? []].flat()) {
      if (seen.has(one)) refuse(key, "must differ from every other secret");
      seen.add(one);
    }
  }
  if (!env.EMAIL && !env.MAIL_API_URL) refuse("MAIL_API_URL", "is missing, and there is no EMAIL binding");
  for (const [key, needed] of NEEDS) {
    if (env[key] !== undefined && env[needed] === undefined) refuse(needed, "is missing");
  }
}

const stageOf = ({ STAGE, STRIPE_API_URL }: Settings) => (STRIPE_API_URL === undefined ? STAGE : undefined);

const config = settings.superRefine(checkTogether).transform((env) => ({
  isLocal: env.STRIPE_API_URL !== undefined,
  /** Only an operator may write (docs/operations.md, "Restoring the database"). */
  inMaintenance: env.MAINTENANCE !== undefined,
  release: env.RELEASE,
  d1: env.DB,
  signUpLimit: env.SIGNUP_RATE_LIMIT,
  stripe: {
    secretKey: env.STRIPE_SECRET_KEY,
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
    /** A simulator of Stripe on this machine, or Stripe's test mode for a Worker on this machine. */
    ...(env.STRIPE_API_URL !== undefined && { apiUrl: new URL(env.STRIPE_API_URL) }),
  },
  /** The terms of a form that is accepted now, besides its plan's price. */
  offer: { tax_added: env.AUTOMATIC_TAX ?? false, trial_days: TRIAL_DAYS, sign_up_hours: SIGN_UP_HOURS },
  mail: {
    transport: transportOf(env),
    companyName: companyNameOf(env),
    consoleUrl: forBrowsers(env.CONSOLE_URL, env),
    customerPortalUrl: forBrowsers(env.CUSTOMER_PORTAL_URL, env),
    siteUrl: forBrowsers(env.SITE_URL, env),
  },
  /** The first key signs; every key verifies. */
  links: { publicUrl: forBrowsers(env.PUBLIC_URL, env), secrets: env.LINK_SECRET },
  trials: {
    hashSecret: env.HASH_SECRET,
    onePerPerson: env.ONE_TRIAL_PER_PERSON,
  },
  console:
    env.CONSOLE_WEBHOOK_URL !== undefined && env.CONSOLE_WEBHOOK_SECRET !== undefined
      ? { url: env.CONSOLE_WEBHOOK_URL, secret: env.CONSOLE_WEBHOOK_SECRET }
      : undefined,
  operatorToken: env.OPERATOR_TOKEN,
}));

/** Staging does not send emails in production's name. */
function companyNameOf(env: Settings): string {
  return stageOf(env) === "staging" ? `${company.name} staging` : company.name;
}

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
export type Offer = Config["offer"];
export type StripeConfig = Config["stripe"];
export type MailConfig = Config["mail"];
export type LinkConfig = Config["links"];
export type TrialConfig = Config["trials"];
export type ConsoleConfig = NonNullable<Config["console"]>;

export function namesOf(problems: ConfigurationProblem[]): string[] {
  return problems.map(({ name }) => name).sort();
}

const known = new WeakMap<object, ConfigurationResult<Config>>();

/** Parses the settings once per isolate, where all requests share one `env` object. */
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
    : { status: "invalid", problems: settingProblems(parsed.error) };
}
