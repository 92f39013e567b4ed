import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, beforeEach, vi } from "vitest";
import * as z from "zod";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { action, loader } from "../../../app/routes/subscription";
import { signupServices } from "../../../app/signup/server/services.server";
import type { SignupReply, SignupSession, SignupStep } from "../../../app/signup/steps";
import { fields } from "../visitors/site-visitor";
import { countingLimiter, PACKAGE_IDS, SETTINGS, SITE_URL } from "./site-settings";

export { countingLimiter, PACKAGE_IDS, SETTINGS, SITE_URL };
export const API_URL = SETTINGS.SUBSCRIPTION_API_URL;
export const PLAN = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
export const OTHER_PLAN = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
export const PATH = `/subscription/${PLAN}`;
export const STATUS_URL = `${API_URL}/subscription/status/a-token`;
/** The nonce in the form's cookie of a browser. */
export const NONCE = "a-nonce-of-22-letters-";

/** The time after `stopClock`. */
export const NOW = 1_800_000_000_000;
export const HOUR = 60 * 60 * 1000;

/** Stops `Date` at `NOW` in each test of a file; timers run. */
export function stopClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

const { package_id: _, password: __, confirmPassword: ___, ...details } = fields;

/** A sign-up that the API has accepted. */
export const signUp = {
  key: "the-first-key",
  requestId: "the-first-request",
  packageId: PLAN,
  details: { ...details, email: "ada@example.com", phone: "2125550123" },
  expiresAt: NOW + 20 * HOUR,
};
const pending = { ...signUp, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };

/** A session in each state. */
export const SESSIONS = {
  card: { ...pending, state: "card" },
  waiting: { ...pending, state: "waiting", reason: "processing", checks: 1 },
  expired: { ...pending, state: "ended", why: "expired" },
  canceled: { ...pending, state: "ended", why: "canceled" },
  done: { ...signUp, state: "done", setupIntentId: "seti_1", startedAt: "2027-01-15T08:00:00.000Z" },
} as const satisfies Record<string, SignupSession>;

const contexts = z.custom<AppLoadContext>();

type Answer = () => Response | Promise<Response>;

/**
 * The sign-up's own services, with an API and a Stripe whose answers a test sets. Stripe and Turnstile stand in place of
 * `fetch`, until mocks are restored.
 */
export function siteContext(settings: Record<string, unknown> = {}) {
  const api: { calls: { url: string; init: RequestInit }[]; answer: Answer; status: Answer } = {
    calls: [],
    answer: () => Response.json({ client_secret: "seti_1_secret_1", status_url: STATUS_URL }),
    status: () => Response.json({ status: "trial", trial_end: "2027-01-20T08:00:00.000Z" }),
  };
  const stripe = { asked: [] as string[], says: { status: "requires_payment_method" } as object, status: 200 };
  const turnstile = { asked: [] as string[], answer: (() => Response.json({ success: true })) as Answer };
  const logged: [event: string, fields: unknown][] = [];

  const binding = {
    async fetch(url: string, init: RequestInit) {
      api.calls.push({ url, init });
      return init.method === "POST" ? api.answer() : api.status();
    },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    if (String(url).includes("turnstile")) {
      turnstile.asked.push(String(init?.body));
      return turnstile.answer();
    }
    const [id = ""] = /seti_\w+?(?=\?)/.exec(String(url)) ?? [];
    stripe.asked.push(id);
    return Response.json({ id, ...stripe.says }, { status: stripe.status });
  });
  const read = readConfiguration({ ...SETTINGS, SUBSCRIPTION_API: binding, ...settings });
  if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
  const services = signupServices(read.configuration);
  const line = (event: string, fields?: unknown) => void logged.push([event, fields]);
  const log = { add: (fields: object) => line("request", fields), end() {}, info: line, warn: line, error: line };

  return {
    ...services,
    api,
    stripe,
    turnstileCalls: turnstile,
    logged,
    context: contexts.parse({
      ...services,
      configuration: read.configuration,
      requestId: "this-request",
      ip: "192.0.2.7",
      log,
    }),
    /** The Cookie header of a browser with this session. */
    async cookies(session?: SignupSession): Promise<string> {
      const sealed = session && (await services.sessions.write(session)).split(";")[0];
      return [`__Host-form=${NONCE}`, ...(sealed ? [sealed] : [])].join("; ");
    },
    /** What a response's cookies leave behind: the session, if it changes, and whether the nonce does. */
    async kept(headers: Headers) {
      const cookies = headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
      const sealed = cookies.find((cookie) => cookie.startsWith("__Host-signup="));
      const request = new Request(SITE_URL, { headers: { Cookie: sealed ?? "" } });
      const session = sealed === "__Host-signup=" ? "cleared" : await services.sessions.read(request);
      return {
        session: sealed === undefined ? undefined : session,
        newNonce: cookies.some((cookie) => /^__Host-form=[\w-]{22}$/.test(cookie)),
      };
    },
  };
}

export type Site = ReturnType<typeof siteContext>;

interface Visit {
  session?: SignupSession | undefined;
  path?: string;
  /** Overrides; an empty one is not sent. */
  headers?: Record<string, string>;
}

async function requestOf(site: Site, { session, path = PATH, headers = {} }: Visit, init: RequestInit = {}) {
  const all: Record<string, string> = {
    "Sec-Fetch-Site": "same-origin",
    Cookie: await site.cookies(session),
    ...headers,
  };
  const sent = Object.entries(all).filter(([, value]) => value !== "");
  const request = new Request(new URL(path, SITE_URL), { ...init, headers: sent });
  const id = new URL(request.url).pathname.split("/")[2];
  return { request, params: id === undefined ? {} : { id }, context: site.context };
}

/** What a redirect or a page's data says. */
async function answerOf<Content>(site: Site, work: Promise<unknown>) {
  const given = await work.catch((thrown: unknown) => {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  });
  const answer = given as Response | { data: Content; init: ResponseInit | null };
  const isPage = !(answer instanceof Response);
  const headers = new Headers(isPage ? answer.init?.headers : answer.headers);
  return {
    content: isPage ? answer.data : undefined,
    status: isPage ? (answer.init?.status ?? 200) : answer.status,
    sentTo: isPage ? undefined : answer.headers.get("Location"),
    headers,
    ...(await site.kept(headers)),
  };
}

/** Asks for a page: its step or redirect, and the browser's cookies after it. */
export async function look(site: Site, visit: Visit = {}) {
  const { content: step, ...rest } = await answerOf<SignupStep & { failed: boolean }>(
    site,
    loader(await requestOf(site, visit)),
  );
  return { step, ...rest };
}

/** Posts fields, or any body: the page's reply or redirect, and the browser's cookies after it. */
export async function post(site: Site, sent: Record<string, string> | BodyInit, visit: Visit = {}) {
  const body =
    Object.getPrototypeOf(sent) === Object.prototype ? new URLSearchParams(Object.entries(sent)) : (sent as BodyInit);
  const init = { method: "POST", body, ...(body instanceof ReadableStream && { duplex: "half" }) };
  const { content: reply, ...rest } = await answerOf<SignupReply>(site, action(await requestOf(site, visit, init)));
  return { reply, ...rest };
}
