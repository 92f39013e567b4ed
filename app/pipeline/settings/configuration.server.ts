import * as z from "zod/mini";
import { company } from "../../company";
import { API_PROMISES } from "../../contract/api-promises";
import type { RateLimit } from "../../shared/http/rate-limit";
import { release } from "../../shared/settings/release";
import {
  binding,
  boolean,
  type ConfigurationProblem,
  type ConfigurationResult,
  isLoopback,
  newAndOld,
  secret,
  settingProblems,
  withoutEmpty,
  withoutQuery,
} from "../../shared/settings/settings";
import { modeProblem, stage } from "../../shared/settings/stripe-key-mode";
import type { Assets } from "../response/stylesheets.server";

/** The default in wrangler.toml; refused in a deployment. */
const LOCAL_SESSION_SECRET = "only-for-local-development-never-for-a-deployment";

const httpUrl = z.pipe(
  z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).check(
    z.refine((value) => {
      if (!URL.canParse(value)) return true;
      const url = new URL(value);
      return url.username === "" && url.password === "";
    }, "must not contain credentials"),
  ),
  z.transform((value) => value.replace(/\/+$/, "")),
);
const baseUrl = httpUrl.check(withoutQuery);
const rateLimit = binding<RateLimit>("limit");
const turnstileKey = z.string().check(z.trim(), z.regex(/^[\w-]{16,256}$/, "must be a key of Turnstile"));

export interface ServiceBinding {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** `npm run docs` writes each comment into the list of settings in docs/operations.md. */
export const settings = z.object({
  /** In a deployment `production` (Stripe's live keys) or `staging` (test keys). */
  STAGE: stage,
  /** The site's own URL. */
  SITE_URL: baseUrl,
  /** The customer console, if the stage has its own. */
  CONSOLE_URL: z._default(httpUrl, company.consoleUrl),
  /** The login page of Stripe's Customer Portal; required with the binding SUBSCRIPTION_API. */
  CUSTOMER_PORTAL_URL: z.optional(httpUrl),
  /** True if Stripe Tax adds taxes. */
  AUTOMATIC_TAX: z._default(boolean, false),
  /** The subscription API. */
  SUBSCRIPTION_API_URL: z._default(baseUrl, "http://localhost:8788"),
  /** Binding: the API's Worker, entrypoint `SiteApi`. */
  SUBSCRIPTION_API: z.optional(binding<ServiceBinding>("fetch", "must be a service binding")),
  /** Deadline of a call to the API, 100 to 60000. */
  SUBSCRIPTION_API_TIMEOUT_MS: z._default(
    z
      .pipe(z.string().check(z.regex(/^\d+$/, "must be a number of milliseconds")), z.transform(Number))
      .check(z.refine((value) => value >= 100 && value <= 60_000, "must be between 100 and 60000")),
    10_000,
  ),
  /** True if the API creates one sign-up per Idempotency-Key: failed calls are then retried. */
  SUBSCRIPTION_API_IDEMPOTENT: z._default(boolean, false),
  /** What the API does beyond the contract, comma-separated ("What the site says about your API"). With the binding, all of it by default. */
  SUBSCRIPTION_API_PROMISES: z.optional(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((value) => value.split(/[\s,]+/).filter(Boolean)),
      ),
      z.array(z.enum(API_PROMISES, `must only have ${API_PROMISES.join(", ")}`)),
    ),
  ),
  /** Binding: forms from one sender. */
  SIGNUP_RATE_LIMIT: rateLimit,
  /** Binding: valid forms from one network; more need Turnstile or, without its keys, are refused. */
  SIGNUP_NETWORK_RATE_LIMIT: rateLimit,
  /** Binding: one sender's requests that ask Stripe about a card. */
  CARD_CHECK_RATE_LIMIT: rateLimit,
  /** Binding: posts from one sender without the page's script; more are refused unread. */
  FLOOD_RATE_LIMIT: rateLimit,
  /** Binding: the static files. */
  ASSETS: binding<Assets>("fetch"),
  /** Binding: the deployed version, shown by `/health`. */
  RELEASE: release,
  /** The host name by which other devices reach `npm start`; refused in a deployment. */
  HOST: z.optional(z.string()),
  /** Secret, 32 characters or more; seals cookies and links. `{new},{old}` during a rotation. */
  SESSION_SECRET: newAndOld(secret).check(
    z.refine(([current, old]) => current !== old, "must have an old secret that differs from the new one"),
  ),
  /** `pk_test_…` or `pk_live_…`; without it the card step says "Configuration Error". */
  STRIPE_PUBLISHABLE_KEY: z._default(
    z.string().check(z.regex(/^pk_(test|live)_\w+$/, "must be a publishable key (pk_…) or empty")),
    "",
  ),
  /** Turnstile's site key. */
  TURNSTILE_SITE_KEY: z.optional(turnstileKey),
  /** Secret; required with the site key. */
  TURNSTILE_SECRET_KEY: z.optional(turnstileKey),
  /** Replaces Stripe.js; refused in a deployment. */
  STRIPE_JS_URL: z.optional(httpUrl),
  /** Replaces Stripe's API; refused in a deployment. */
  STRIPE_API_URL: z.optional(baseUrl),
});

export type Configuration = z.output<typeof settings>;

/** The reference API's emails link to the portal. */
const withReferenceApi = z.extend(settings, { CUSTOMER_PORTAL_URL: httpUrl });

/** Parses variables, secrets and bindings. Lists the wrong settings; only if each is valid alone are they compared. */
export function readConfiguration(env: unknown): ConfigurationResult<Configuration> {
  const given = withoutEmpty(env);
  const parsed = (Object.hasOwn(Object(given), "SUBSCRIPTION_API") ? withReferenceApi : settings).safeParse(given);
  if (!parsed.success) return { status: "invalid", problems: settingProblems(parsed.error) };
  const problems = [...pairProblems(parsed.data), ...keyProblems(parsed.data), ...deploymentProblems(parsed.data)];
  return problems.length === 0 ? { status: "valid", configuration: parsed.data } : { status: "invalid", problems };
}

/**
 * True for the settings of `npm start`, without reading all of them: the site's URL is this machine's.
 * @param env the Worker's settings, which may be wrong
 */
export function hasLocalSiteUrl(env: object): boolean {
  return !("STAGE" in env) && "SITE_URL" in env && isLoopback(String(env.SITE_URL));
}

/** Rules that compare settings. */
function pairProblems(configuration: Configuration): ConfigurationProblem[] {
  const { SESSION_SECRET, TURNSTILE_SECRET_KEY } = configuration;
  const pair = ["TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"] as const;
  const missing = pair.filter((name) => configuration[name] === undefined);
  return [
    ...(missing.length === 1 ? missing.map((name) => ({ name, problem: "is missing beside the other key" })) : []),
    ...(TURNSTILE_SECRET_KEY !== undefined && SESSION_SECRET.includes(TURNSTILE_SECRET_KEY)
      ? [{ name: "SESSION_SECRET", problem: "must differ from TURNSTILE_SECRET_KEY" }]
      : []),
  ];
}

/** The publishable key's mode must be the stage's. */
function keyProblems({ SITE_URL, STAGE, STRIPE_PUBLISHABLE_KEY: key }: Configuration): ConfigurationProblem[] {
  const problem = key === "" ? null : modeProblem(key, isLoopback(SITE_URL) ? undefined : STAGE);
  return problem === null ? [] : [{ name: "STRIPE_PUBLISHABLE_KEY", problem }];
}

/** Cloudflare's keys for tests: https://developers.cloudflare.com/turnstile/troubleshooting/testing/ */
const TURNSTILE_TEST_KEY = /^[123]x0{16}/;

/** Rules for deployments; local development has a loopback SITE_URL. */
function deploymentProblems(configuration: Configuration): ConfigurationProblem[] {
  if (isLoopback(configuration.SITE_URL)) return [];
  const problem = (names: (keyof Configuration)[], text: string, isWrong: (name: keyof Configuration) => boolean) =>
    names.filter(isWrong).map((name) => ({ name, problem: text }));
  const textOf = (name: keyof Configuration) => String(configuration[name] ?? "");
  return [
    ...problem(["STAGE"], "is missing", () => configuration.STAGE === undefined),
    ...problem(
      ["SITE_URL", "CONSOLE_URL", "CUSTOMER_PORTAL_URL", "SUBSCRIPTION_API_URL"],
      "must be an https URL",
      (name) => configuration[name] !== undefined && !textOf(name).startsWith("https:"),
    ),
    ...problem(["STRIPE_JS_URL", "STRIPE_API_URL", "HOST"], LOCAL_ONLY, (name) => configuration[name] !== undefined),
    ...problem(["TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"], "is a key for tests", (name) =>
      TURNSTILE_TEST_KEY.test(textOf(name)),
    ),
    ...problem(["SESSION_SECRET"], "is the local default", () =>
      configuration.SESSION_SECRET.includes(LOCAL_SESSION_SECRET),
    ),
  ];
}

const LOCAL_ONLY = "is for local development only";
