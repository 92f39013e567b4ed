import { readFileSync } from "node:fs";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, beforeEach, vi } from "vitest";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { currentStep } from "../../../app/signup/server/current-step.server";
import { signupServices } from "../../../app/signup/server/services.server";
import type { FoundSession } from "../../../app/signup/server/session/session.server";
import { handleForm } from "../../../app/signup/server/submit/submit-form.server";
import type { CardSession, DoneSession, SignupSession } from "../../../app/signup/steps";
import { fields } from "../visitors/site-visitor";

export const SITE_URL = "https://www.site.example";
export const API_URL = "https://api.site.example";
export const PLAN = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
export const OTHER_PLAN = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
export const PATH = `/subscription/${PLAN}`;

/** The local settings of all plans. */
export const PACKAGE_IDS = Object.fromEntries(
  [
    ...readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8").matchAll(
      /^(PACKAGE_ID_\w+) = "(.*)"$/gm,
    ),
  ].map(([, name = "", id = ""]) => [name, id]),
);

/** The time after `stopClock`. */
export const NOW = 1_800_000_000_000;
export const HOUR = 60 * 60 * 1000;
const unlimited = { limit: async () => ({ success: true }) };

/** Of a deployment. */
export const SETTINGS = {
  SITE_URL,
  CONSOLE_URL: "https://console.site.example",
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  SALES_EMAIL: "sales@site.example",
  SUPPORT_EMAIL: "support@site.example",
  LEGAL_EMAIL: "legal@site.example",
  ...PACKAGE_IDS,
  SUBSCRIPTION_API_URL: API_URL,
  SESSION_SECRET: "a-secret-of-at-least-thirty-two-characters",
  STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  SIGNUP_RATE_LIMIT: unlimited,
  CSP_REPORT_RATE_LIMIT: unlimited,
  SIGNUP_NETWORK_RATE_LIMIT: unlimited,
  FORM_NONCE_RATE_LIMIT: unlimited,
  CARD_CHECK_RATE_LIMIT: unlimited,
  FUNNEL_RATE_LIMIT: unlimited,
  ASSETS: { fetch: async () => new Response() },
};

/** Stops `Date` at `NOW` in each test of a file; timers run. */
export function stopClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** A sign-up at the card step. */
export function cardSession(change: Partial<CardSession> = {}): CardSession {
  return {
    step: "card",
    expiresAt: Date.now() + HOUR,
    endsAt: Date.now() + 20 * HOUR,
    key: "a-key",
    requestId: "the-first-request",
    clientSecret: "seti_1_secret_1",
    account: {
      companyName: "Engines & Sons",
      fullName: "Ada Lovelace",
      email: "ada@example.com",
      phone: "2125550123",
      packageId: PLAN,
    },
    address: { line1: "1 Example Street", city: "Springfield", state: "IL", postalCode: "62701", country: "Canada" },
    ...change,
  };
}

/** A sign-up whose trial has begun. */
export function doneSession(change: Partial<DoneSession> = {}): DoneSession {
  const { expiresAt, endsAt, key } = cardSession();
  const startedAt = "2027-01-15T08:00:00.000Z";
  return { step: "done", expiresAt, endsAt, key, setupIntentId: "seti_1", startedAt, ...change };
}

/**
 * The sign-up's context: the site's own services, with an API and a Stripe whose answers a test sets.
 * Stripe stands in place of `fetch`, until mocks are restored.
 */
export function siteContext(settings: Record<string, unknown> = {}) {
  const api = { calls: [] as { url: string; init: RequestInit }[], answer: () => Response.json({}) };
  const stripe = { asked: [] as string[], says: { status: "requires_payment_method" } as object, status: 200 };
  const counted: (string | undefined)[][] = [];
  const logged: [event: string, fields: unknown][] = [];

  const binding = {
    async fetch(url: string, init: RequestInit) {
      api.calls.push({ url, init });
      return api.answer();
    },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    const [id = ""] = /seti_\w+?(?=\?)/.exec(String(url)) ?? [];
    stripe.asked.push(id);
    return Response.json({ id, ...stripe.says }, { status: stripe.status });
  });
  const read = readConfiguration({ ...SETTINGS, SUBSCRIPTION_API: binding, ...settings });
  if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
  const { configuration } = read;
  const services = signupServices(configuration);
  const line = (event: string, fields?: unknown) => void logged.push([event, fields]);

  const contextOf = (path: string, more: Partial<AppLoadContext> = {}): AppLoadContext => {
    const url = new URL(path, SITE_URL);
    return {
      ...services,
      configuration,
      requestId: "this-request",
      url,
      ip: "192.0.2.7",
      route: {
        id: "routes/subscription",
        pattern: "/subscription/:id?",
        params: {},
        hydrates: true,
        takesForms: true,
        isData: false,
        pagePath: url.pathname,
      },
      nonce: "",
      log: { add: (fields) => line("request", fields), end: () => {}, info: line, warn: line, error: line },
      execution: { waitUntil: () => {} },
      funnel: { count: (...step) => void counted.push(step) },
      ...more,
    };
  };

  return {
    ...services,
    api,
    stripe,
    counted,
    logged,
    contextOf,
    /** The Cookie header of a visitor at a step, or without a session. */
    async cookieOf(session?: SignupSession): Promise<Record<string, string>> {
      return session === undefined ? {} : { Cookie: cookieIn(await services.sessions.write(session)) };
    },
    /** The session that a Set-Cookie header leaves behind. */
    async sessionIn(setCookie: string | null | undefined): Promise<SignupSession | FoundSession["status"]> {
      const found = await services.sessions.read(
        new Request(SITE_URL, { headers: { Cookie: cookieIn(setCookie ?? "") } }),
      );
      return "session" in found ? found.session : found.status;
    },
  };
}

function cookieIn(setCookie: string): string {
  return setCookie.split(";")[0] ?? "";
}

/** A site with an API's answer, and a form opened a minute ago. Needs `stopClock`. */
export async function openedForm({ status = 200, body = {} }: { status?: number; body?: object } = {}) {
  const site = siteContext();
  site.api.answer = () => Response.json(body, { status });
  vi.setSystemTime(NOW - 60_000);
  const form_nonce = await site.nonces.issue();
  vi.setSystemTime(NOW);
  return { site, form: { ...fields, form_nonce }, form_nonce };
}

type Site = ReturnType<typeof siteContext>;

export type Look = {
  path?: string;
  packageId?: string;
  headers?: Record<string, string>;
  more?: Partial<AppLoadContext>;
};

/** The step or redirect for a browser with this session, and its new cookie. */
export async function look(site: Site, session?: SignupSession, ask: Look = {}) {
  const { path = PATH, packageId = PLAN, headers, more } = ask;
  const context = site.contextOf(path, more);
  const browser = { "User-Agent": "Mozilla/5.0 Firefox/140.0", ...(await site.cookieOf(session)) };
  const request = new Request(context.url, { headers: { ...browser, ...headers } });
  const found = await currentStep(request, packageId, context).catch((thrown: unknown) => {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  });
  const setCookie = new Headers((found instanceof Response ? found : found.init)?.headers).get("Set-Cookie");
  return {
    step: found instanceof Response ? undefined : found.data,
    sentTo: found instanceof Response ? [found.status, found.headers.get("Location")] : undefined,
    setCookie,
    kept: setCookie === null ? undefined : await site.sessionIn(setCookie),
  };
}

/** Posts a form as the guard passes it on. Returns the response or else the page's data, and the new cookie. */
export async function post(
  site: Site,
  form: Record<string, string>,
  { session, path = PATH, headers, more }: { session?: SignupSession | undefined } & Omit<Look, "packageId"> = {},
) {
  const context = site.contextOf(path, { form, ...more });
  const request = new Request(context.url, {
    method: "POST",
    headers: { ...(await site.cookieOf(session)), ...headers },
  });
  const handedOn: { request: Request; context: AppLoadContext }[] = [];
  const response = await handleForm(request, context, (request, context) => {
    handedOn.push({ request, context });
    return new Response("the page");
  });
  const [page] = handedOn;
  const outcome = page?.context.formOutcome;
  const setCookie = response.headers.get("Set-Cookie");
  return {
    sentTo: page === undefined ? [response.status, response.headers.get("Location")] : undefined,
    reply: outcome?.status === "reply" ? outcome.reply : undefined,
    httpStatus: outcome?.status === "reply" ? outcome.httpStatus : undefined,
    page,
    setCookie,
    kept: setCookie === null ? undefined : await site.sessionIn(setCookie),
  };
}
