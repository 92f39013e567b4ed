import { afterAll, expect, test } from "vitest";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, rows, stripeAt, stripeStateOf } from "../../support/visitors/visitor";
import { startFaultyProxy } from "../../support/workers/upstream";
import { startBackend, startSite } from "../../support/workers/workers";
import { readPage } from "./page";
import { type Backstage, type Browser, type Page, runSequence, STEPS } from "./visitors";

/* The model's visitors (tests/unit/sign-up/model.test.ts) over HTTP, through the built Workers and the simulator. */

const { SEED = "101", SEQUENCES = "20" } = process.env;

const backend = await startBackend();
const { api, stripe } = backend;
const apiProxy = await startFaultyProxy(api.url, { keepsHost: true });
const stripeProxy = await startFaultyProxy(stripe.url);
const site = await startSite({
  vars: {
    SUBSCRIPTION_API_URL: apiProxy.url,
    STRIPE_API_URL: stripeProxy.url,
    STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
  },
});
afterAll(async () => {
  await Promise.all([site, apiProxy, stripeProxy].map((part) => part.dispose()));
  await backend.dispose();
});

const visitor = siteVisitor(site);
const intentOf = (secret: string) => secret.split("_secret_")[0] ?? "";
const LIVE = "SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'";
const ended = new WeakMap<Browser, (hours: number) => Promise<void>>();

function begin(): Browser {
  const cookies = cookieBrowser(visitor);
  async function arrive(path: string, first: Answer): Promise<Page> {
    let [at, answer] = [path, first];
    for (let redirects = 0; answer.status === 303; redirects += 1) {
      if (redirects === 5) throw new Error(`${path} leads in a circle`);
      at = answer.headers.get("Location") ?? "";
      answer = await cookies.get(at);
    }
    return readPage(at, answer);
  }
  const browser: Browser = {
    get keepsCookies() {
      return cookies.keepsCookies;
    },
    set keepsCookies(keeps) {
      cookies.keepsCookies = keeps;
    },
    loseCookies: cookies.loseCookies,
    get: async (path) => arrive(path, await cookies.get(path)),
    post: async (path, form) => arrive(path, await cookies.post(new URLSearchParams(form).toString(), path)),
  };
  ended.set(browser, async (hours) => {
    if (cookies.hasSession()) await cookies.wait(hours * 60 * 60 * 1000);
  });
  return browser;
}

const backstage: Backstage = {
  begin,
  async enterCard(secret, works) {
    const before = await backstage.stripeStatus(secret);
    await enterCard(stripe.url, secret, works ? undefined : "4000000000000002");
    // The API hears of it by a webhook, a moment later.
    const heard = () =>
      rows(api, "SELECT id FROM sign_ups WHERE stripe_setup_intent_id = ? AND version > 0", intentOf(secret));
    if (before === "requires_payment_method") await expect.poll(heard).toBeDefined();
  },
  stripeStatus: async (secret) => (await stripeAt(stripe).setupIntents.retrieve(intentOf(secret))).status,
  async trials(email) {
    const count = async () => {
      const { subscriptions } = await stripeStateOf(stripe, email);
      return subscriptions.filter(({ status }) => status === "trialing").length;
    };
    const companies = (await rows(api, LIVE, email)).map(({ company_name }) => String(company_name));
    return { subscriptions: await count(), companies };
  },
  async owner(secret) {
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intentOf(secret));
    return row && { email: String(row.email), company: String(row.company_name) };
  },
  breaks(fault, words) {
    const proxy = words.startsWith("seti_") ? stripeProxy : apiProxy;
    proxy.breakAt(
      words.startsWith("seti_") ? intentOf(words) : encodeURIComponent(words).replace("%40", "@"),
      fault === "refused" ? "refuse" : "lose-answer",
    );
  },
  repairs() {
    apiProxy.repair();
    stripeProxy.repair();
  },
  wait: (browser, hours) => ended.get(browser)?.(hours) ?? Promise.resolve(),
};

test("over HTTP every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  const taken = new Map<string, number>();
  for (let nth = 0; nth < Number(SEQUENCES); nth += 1) await runSequence(Number(SEED) + nth, 24, backstage, taken);
  if (SEQUENCES === "20") expect(taken.size).toBeGreaterThan(Object.keys(STEPS).length - 3);
});
