import type { D1Database, RateLimit, SendEmail } from "@cloudflare/workers-types";
import type * as z from "zod";
import { type ConfigurationProblem, type ConfigurationResult, problemsOf } from "../../app/contract/configuration";
import type { FunnelDataset } from "../../app/contract/funnel";
import { settings } from "./settings";

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
  /** Stripe signs with any of them. */
  webhookSecrets: string[];
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
      webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
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
