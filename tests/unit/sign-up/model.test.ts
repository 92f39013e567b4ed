import type { AppLoadContext } from "@remix-run/cloudflare";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { action, loader } from "../../../app/routes/subscription";
import { CARD_USED, SIGNUP_CANCELED } from "../../../app/signup/notices";
import { signupServices } from "../../../app/signup/server/services.server";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { type Backstage, type Browser, type Page, runSequence, STEPS } from "../../release/sign-up-model/visitors";
import { answersOf, apiInProcess } from "../../support/api-in-process/api";
import { SETTINGS } from "../../support/site-in-process/site-settings";
import { eventOf, sign } from "../../support/stripe/stripe-events";

/* The model's visitors over the site's loader and action, the API and the model of Stripe in one process. */

const ORIGIN = "http://localhost:8787";
const contexts = z.custom<AppLoadContext>();

/** The site over the API in this process. */
function inProcess(): Backstage {
  const told: { type: string; about: object; id: string }[] = [];
  const faults = new Map<string, "refused" | "answer lost">();
  const faultOf = (words: string) => [...faults].find(([broken]) => words.includes(broken))?.[1];
  const api = apiInProcess({
    tell: (id, type, about) => void told.push({ id, type, about: { ...about } }),
    upstream: async (url, request) => {
      if (faultOf(url.href)) throw new TypeError("fetch failed");
      return answersOf(api.model)(url, request);
    },
  });
  const binding = {
    async fetch(url: string, init: RequestInit) {
      const fault = faultOf(String(init.body ?? ""));
      if (fault === "refused") throw new TypeError("fetch failed");
      const response = await api.ask(url, init, "site");
      await deliver();
      if (fault) throw new TypeError("fetch failed");
      return response;
    },
  };
  const read = readConfiguration({
    ...SETTINGS,
    SITE_URL: ORIGIN,
    SUBSCRIPTION_API_URL: "http://localhost:8788",
    SUBSCRIPTION_API: binding,
  });
  if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
  const log = { add() {}, end() {}, info() {}, warn() {}, error() {} };
  const more = { configuration: read.configuration, requestId: "this-request", ip: "192.0.2.7", log };
  const context = contexts.parse({ ...signupServices(read.configuration), ...more });
  const intentOf = (secret: string) => secret.split("_secret_")[0] ?? "";

  async function deliver(): Promise<void> {
    for (let event = told.shift(); event; event = told.shift()) {
      const body = eventOf(event.type, event.about, event.id);
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    }
    await api.settled();
  }

  function begin(): Browser {
    const jar = new Map<string, string>();
    async function exchange(path: string, init: RequestInit = {}): Promise<Page> {
      let at = path;
      let answer = await ask(at, init);
      for (let redirects = 0; answer instanceof Response; redirects += 1) {
        if (redirects === 5) throw new Error(`${path} leads in a circle`);
        at = answer.headers.get("Location") ?? "";
        answer = await ask(at, {});
      }
      if (init.method !== "POST" || !("step" in answer.content === false))
        return pageOf(at, answer.content as SignupStep);
      // Remix renders the page of a post with its loader's data.
      const step = await ask(at, {});
      if (step instanceof Response) throw new Error("A reply's page redirects");
      return pageOf(at, step.content as SignupStep, answer.content as SignupReply);
    }
    async function ask(path: string, init: RequestInit) {
      const Cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const headers = { "Sec-Fetch-Site": "same-origin", ...(Cookie && { Cookie }) };
      const request = new Request(ORIGIN + path, { ...init, headers });
      const id = new URL(request.url).pathname.split("/")[2];
      const given = { request, params: id === undefined ? {} : { id }, context };
      const work: Promise<unknown> = init.method === "POST" ? action(given) : loader(given);
      const answer = (await work.catch((thrown: unknown) => {
        if (thrown instanceof Response) return thrown;
        throw thrown;
      })) as Response | { data: SignupStep | SignupReply; init: ResponseInit | null };
      const sent = new Headers(answer instanceof Response ? answer.headers : (answer.init?.headers ?? {}));
      // The pipeline's part, outside the page cache.
      const nonce = init.method === "POST" ? undefined : context.sessions.missingNonce(request);
      if (nonce) sent.append("Set-Cookie", nonce);
      for (const cookie of browser.keepsCookies ? sent.getSetCookie() : []) {
        const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      return answer instanceof Response ? answer : { content: answer.data };
    }
    const browser: Browser = {
      keepsCookies: true,
      loseCookies: () => jar.clear(),
      get: (path) => exchange(path),
      post: (path, form) => exchange(path, { method: "POST", body: new URLSearchParams(form) }),
    };
    return browser;
  }

  return {
    begin,
    async enterCard(secret, works) {
      api.model.confirm(intentOf(secret), crypto.randomUUID(), !works);
      await deliver();
    },
    stripeStatus: async (secret) => api.model.get(intentOf(secret))?.status ?? "",
    async trials(email) {
      const customers = api.model.all("customer").filter((customer) => customer.email === email);
      const subscriptions = customers.flatMap(({ id }) => api.model.all("subscription", id));
      const rows = api.rows("SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
      return { subscriptions: subscriptions.length, companies: rows.map(({ company_name }) => String(company_name)) };
    },
    async owner(secret) {
      const [row] = api.rows("SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intentOf(secret));
      return row && { email: String(row.email), company: String(row.company_name) };
    },
    breaks: (fault, words) => void faults.set(words, fault),
    repairs: () => faults.clear(),
    async wait(_, hours) {
      vi.setSystemTime(Date.now() + hours * 60 * 60 * 1000);
      await api.runScheduled();
      await deliver();
    },
  };
}

function pageOf(path: string, step: SignupStep, reply?: SignupReply): Page {
  const isReturned = reply?.form !== undefined;
  const kind = isReturned ? "form" : step.step;
  const card = kind === "card" && step.step === "card" ? step : undefined;
  const form = step.step === "form" ? step : undefined;
  const values: Record<string, unknown> =
    (kind === "form" ? (reply?.form?.initialValue ?? form?.draft) : "details" in step ? step.details : undefined) ?? {};
  const notices = [reply?.notice ?? form?.ended, card?.flash === "card used" ? CARD_USED : undefined];
  if (step.step === "resume" && step.state === "canceled") notices.push(SIGNUP_CANCELED);
  const plan = values.package_id ?? form?.packageId;
  return {
    path,
    kind,
    notices: notices.flatMap((notice) => (notice ? [notice.title, notice.message ?? ""] : [])),
    text: JSON.stringify(isReturned ? reply : [step, reply]),
    email: String(values.email ?? ""),
    company: String(values.company_name ?? ""),
    plan: String(plan ?? ""),
    secret: card?.clientSecret ?? "",
    returnPath: card?.returnPath ?? "",
    link: card?.resumeLink ? card.resumeLink.url.slice(ORIGIN.length) : "",
    key: (kind !== "form" && "key" in step ? step.key : undefined) ?? "",
    offer: kind === "form" && form?.openPlan ? `/subscription/${form.openPlan}` : "",
    isReady: step.step === "resume" && step.state === "ready",
  };
}

const { SEED = "101", SEQUENCES = "60" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  const taken = new Map<string, number>();
  for (let nth = 0; nth < Number(SEQUENCES); nth += 1) await runSequence(Number(SEED) + nth, 24, inProcess(), taken);
  vi.useRealTimers();
  if (SEQUENCES === "60") expect([...taken.keys()].sort()).toEqual(Object.keys(STEPS).sort());
});
