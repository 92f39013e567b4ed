import { onTestFinished, vi } from "vitest";
import { HOUR_MS } from "../../app/contract/dates";
import { PLANS } from "../../app/pricing/plans/plan-list";
import { apiInProcess } from "../support/api-in-process/api";
import { look, post, SITE_URL, siteContext } from "../support/site-in-process/site-context";
import { eventOf, sign } from "../support/stripe-events";

export type Form = Record<string, string>;
export type Backend = ReturnType<typeof siteWithApi>;

export const intentOf = (clientSecret: string) => clientSecret.split("_secret_")[0] ?? "";

/** The site's loader and action, the API and Stripe, whose webhooks arrive at once. */
export function siteWithApi() {
  const told: string[] = [];
  let isLost = false;
  async function send(url: string, init: RequestInit) {
    const response = await api.ask(url, init, "site");
    await deliver();
    if (isLost && init.method === "POST") throw new TypeError("fetch failed");
    return response;
  }
  const site = siteContext({ SUBSCRIPTION_API: { fetch: send } });
  // The API's `fetch` takes the place of the site's: both ask the same Stripe.
  const api = apiInProcess({ tell: ({ id, type }, about) => void told.push(eventOf(type, about, id)) });
  async function deliver(): Promise<void> {
    for (let body = told.shift(); body; body = told.shift())
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    await api.settled();
  }
  const intentFor = (clientSecret: string) => api.model.get(intentOf(clientSecret));
  return {
    rows: api.rows,

    /** The answer to a request: a redirect, or a page's step and the reply to a form. */
    async ask(path: string, headers: { Cookie: string }, form?: Form) {
      const posted = form && (await post(site, form, { path, headers }));
      // Remix renders the page of a post with its loader's data, or redirects where that does.
      const opened = posted?.reply || !posted ? await look(site, { path, headers }) : undefined;
      // The pipeline's part, outside the page cache.
      const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
      const cookies = [posted, opened].flatMap((answer) => answer?.headers.getSetCookie() ?? []);
      const { sentTo, step } = opened ?? { ...posted, step: undefined };
      return { cookies: [...cookies, nonce ?? []].flat(), sentTo, step, reply: posted?.reply };
    },
    async wait(hours: number): Promise<void> {
      vi.setSystemTime(Date.now() + hours * HOUR_MS);
      await api.runScheduled();
      await deliver();
    },
    /** Whether the API's next answers to forms get lost. */
    loseAnswers(lost: boolean): void {
      isLost = lost;
    },
    /** Enters a new card, which Stripe reports to the API. Returns whether the form could still take a card. */
    async enterCard(clientSecret: string, works: boolean): Promise<boolean> {
      const isOpen = intentFor(clientSecret)?.status === "requires_payment_method";
      api.model.confirm(intentOf(clientSecret), crypto.randomUUID(), !works);
      await deliver();
      return isOpen;
    },
    /** Stripe's status of a card's setup; empty for an empty secret. */
    cardOf: (clientSecret: string) => String(intentFor(clientSecret)?.status ?? ""),
    /** Enters a card that Stripe goes on processing. Returns whether the form could take it. */
    processCard(clientSecret: string): boolean {
      const intent = intentFor(clientSecret);
      if (intent?.status !== "requires_payment_method") return false;
      intent.status = "processing";
      return true;
    },
    /** What Stripe charges each month for the subscriptions of an email address, in cents. */
    chargesOf(email: string): (number | undefined)[] {
      const customers = api.model.all("customer").filter((customer) => customer.email === email);
      const subscriptions = customers.flatMap(({ id }) => api.model.all("subscription", id));
      return subscriptions.map(({ items }) => items?.data[0]?.price.unit_amount);
    },
    /** Changes the site's price of a listed plan, as a release or a rollback does. Until the test ends. */
    listPrice(packageId: string, cents: number): void {
      const plan = PLANS.find((one) => one.packageId === packageId);
      if (!plan) throw new Error(`${packageId} is not listed`);
      const { shownPriceCents } = plan;
      onTestFinished(() => void Object.assign(plan, { shownPriceCents }));
      Object.assign(plan, { shownPriceCents: cents });
    },
    /** Sends an operator's command `catalog`. */
    catalog: (body: object) => api.operate("catalog", body),
  };
}
