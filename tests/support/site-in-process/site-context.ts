import type { AppLoadContext } from "@remix-run/cloudflare";
import { vi } from "vitest";
import * as z from "zod";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { action, loader } from "../../../app/routes/subscription";
import { describeError } from "../../../app/shared/log/describe-error";
import { signupServices } from "../../../app/signup/server/services.server";
import type { SignupSession } from "../../../app/signup/session-state";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { PASSWORD, PERSONAL } from "../person";
import { NONCE } from "../visitors/site-visitor";
import { PATH, SETTINGS, SITE_URL, STATUS_URL, TERMS } from "./site-settings";

export * from "./site-settings";

const contexts = z.custom<AppLoadContext>();
/** What the API says about a sign-up for `PLAN`. */
const SAID = { ...TERMS, currency: "usd" };
/** A setup intent that needs a card, whatever Stripe says about others. */
const CARDLESS = "seti_9";
type Answer = () => Response | Promise<Response>;

/**
 * The real sign-up services, with an API and a Stripe whose answers a test sets. Replaces `fetch` with Stripe and Turnstile until
 * mocks are restored.
 */
export function siteContext(settings: Record<string, unknown> = {}) {
  const api: { calls: { url: string; init: RequestInit }[]; answer: Answer; status: Answer; end: Answer } = {
    calls: [],
    answer: () => Response.json({ client_secret: "seti_1_secret_1", status_url: STATUS_URL, ...SAID }),
    status: () => Response.json({ status: "trial", trial_end: "2026-11-27T12:00:00.000Z", ...SAID }),
    end: () => new Response(null, { status: 405 }),
  };
  const stripe = { asked: [] as string[], says: { status: "requires_payment_method" } as object, status: 200 };
  const turnstileCalls = { asked: [] as string[], answer: (() => Response.json({ success: true })) as Answer };
  const logged: [event: string, fields: unknown][] = [];

  async function fetchApi(url: string, init: RequestInit) {
    api.calls.push({ url, init });
    if (init.method === "DELETE") return api.end();
    return init.method === "POST" ? api.answer() : api.status();
  }
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    if (String(url).includes("turnstile")) {
      turnstileCalls.asked.push(String(init?.body));
      return turnstileCalls.answer();
    }
    const [id = ""] = /seti_\w+?(?=\?)/.exec(String(url)) ?? [];
    stripe.asked.push(id);
    if (id === CARDLESS) return Response.json({ id, status: "requires_payment_method" });
    return Response.json({ id, ...stripe.says }, { status: stripe.status });
  });
  const read = readConfiguration({ ...SETTINGS, SUBSCRIPTION_API: { fetch: fetchApi }, ...settings });
  if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
  const { configuration } = read;
  const services = signupServices(configuration);
  const line = (event: string, fields?: unknown) => void logged.push([event, fields]);
  const failure = (event: string, error: unknown) => line(event, describeError(error, false));
  const add = (fields: object) => line("request", fields);
  const log = { add, end() {}, info: line, warn: line, error: line, failure };
  const context = { ...services, configuration, requestId: "this-request", ip: "192.0.2.7", log };
  return { ...services, api, stripe, turnstileCalls, logged, context: contexts.parse(context) };
}

export type Site = ReturnType<typeof siteContext>;

/** Headers with an empty value are not sent. */
type Visit = { session?: SignupSession | undefined; path?: string; headers?: Record<string, string> };

/** The arguments of a route's loader or action for a request from a browser with this session. */
export async function requestOf(site: Site, { session, path = PATH, headers = {} }: Visit, init: RequestInit = {}) {
  const sealed = session ? `; ${(await site.sessions.write(session)).split(";")[0]}` : "";
  const all = { "Sec-Fetch-Site": "same-origin", Cookie: `__Host-form=${NONCE}${sealed}`, ...headers };
  const sent = Object.entries(all).filter(([, value]) => value !== "");
  const request = new Request(new URL(path, SITE_URL), { ...init, headers: sent });
  const id = new URL(request.url).pathname.split("/")[2];
  return { request, params: id === undefined ? {} : { id }, context: site.context };
}

/** A redirect or a page's data, with the effect of its cookies: the changed session, if any, and if the nonce changes. */
async function answerOf<Content>(site: Site, work: Promise<unknown>) {
  const thrown = (error: unknown) => (error instanceof Response ? error : Promise.reject(error));
  const answer = (await work.catch(thrown)) as Response | { data: Content; init: ResponseInit | null };
  const page = answer instanceof Response ? undefined : answer;
  const response = answer instanceof Response ? answer : new Response(null, answer.init ?? {});
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const sealed = cookies.find((cookie) => cookie.startsWith("__Host-signup="));
  const asking = new Request(SITE_URL, { headers: { Cookie: sealed ?? "" } });
  const session = sealed === "__Host-signup=" ? "cleared" : await site.sessions.read(asking);
  if (JSON.stringify([page?.data, cookies, site.logged]).includes(PASSWORD))
    throw new Error("The answer, its cookies or the log contain the password");
  if (PERSONAL.test(JSON.stringify(site.logged))) throw new Error("The log contains personal data");
  return {
    content: page?.data,
    status: response.status,
    sentTo: page ? undefined : response.headers.get("Location"),
    headers: response.headers,
    session: sealed === undefined ? undefined : session,
    newNonce: cookies.some((cookie) => /^__Host-form=[\w-]{22}$/.test(cookie)),
  };
}

/** Asks for a page: its step or redirect, and the browser's cookies after it. */
export async function look(site: Site, visit: Visit = {}) {
  const work = requestOf(site, visit).then(loader);
  const { content: step, ...rest } = await answerOf<SignupStep & { failed: boolean }>(site, work);
  return { step, ...rest };
}

/** Posts fields, or any body: the page's reply or redirect, and the browser's cookies after it. */
export async function post(site: Site, sent: Record<string, string> | string | ReadableStream, visit: Visit = {}) {
  const isBody = typeof sent === "string" || sent instanceof ReadableStream;
  const init = { method: "POST", body: isBody ? sent : new URLSearchParams(sent), duplex: "half" };
  const { content: reply, ...rest } = await answerOf<SignupReply>(site, requestOf(site, visit, init).then(action));
  return { reply, ...rest };
}
