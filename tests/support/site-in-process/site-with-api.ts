import { onTestFinished } from "vitest";
import { PLANS } from "../../../app/pricing/plans/plan-list";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { apiInProcess } from "../api-in-process/api";
import { eventOf, sign } from "../stripe-events";
import { siteContext } from "./site-context";

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
  return {
    site,
    api,
    deliver,
    /** Whether the API's next answers to forms get lost. */
    loseAnswers(lost: boolean): void {
      isLost = lost;
    },
    /** Enters a new card, which Stripe reports to the API. Returns whether the form could still take a card. */
    async enterCard(clientSecret: string, works = true): Promise<boolean> {
      const id = clientSecret.split("_secret_")[0] ?? "";
      const isOpen = api.model.get(id)?.status === "requires_payment_method";
      api.model.confirm(id, crypto.randomUUID(), !works);
      await deliver();
      return isOpen;
    },
    /** What Stripe charges each month for the subscriptions of an email address, in cents. */
    chargesOf(email: string): (number | undefined)[] {
      const customers = api.model.all("customer").filter((customer) => customer.email === email);
      const subscriptions = customers.flatMap(({ id }) => api.model.all("subscription", id));
      return subscriptions.map(({ items }) => items?.data[0]?.price.unit_amount);
    },
    /** Changes the site's price of a listed plan, as a release does. Until the test ends. */
    listPrice(packageId: string, cents: number): void {
      const plan = PLANS.find((one) => one.packageId === packageId);
      if (!plan) throw new Error(`${packageId} is not listed`);
      const { shownPriceCents } = plan;
      onTestFinished(() => void Object.assign(plan, { shownPriceCents }));
      Object.assign(plan, { shownPriceCents: cents });
    },
    /** Sends an operator's command `catalog`. */
    catalog: (body: object) =>
      api.ask("/operator/catalog", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}` },
        body: JSON.stringify(body),
      }),
  };
}
