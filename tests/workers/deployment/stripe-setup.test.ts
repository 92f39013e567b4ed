import { afterAll, describe, expect, test } from "vitest";
import { setUpStripe } from "../../../tools/stripe-setup/stripe-setup";
import { clientOf, type Line, type Target, targetOf } from "../../../tools/stripe-setup/target";
import { settingsOf } from "../../../tools/wrangler/worker-settings";
import { PLANS } from "../../support/plans";
import { stripeAt } from "../../support/visitors/visitor";
import { startStripeSimulator } from "../../support/workers/workers";

/* `npm run stripe:setup` against fresh accounts of the simulator. Wanted values are typed here again, because the command compares an
 * account with its own values. */

const WEBHOOK_URL = "https://api.acme.com/webhooks/stripe";
/** The events that the API handles, and the API version whose fields it reads. */
const ENDPOINT = {
  url: WEBHOOK_URL,
  status: "enabled",
  api_version: "2026-10-28.endive",
  enabled_events: [
    "setup_intent.succeeded",
    "setup_intent.setup_failed",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.trial_will_end",
    "customer.created",
  ],
};

/** A new account, and the command for production. */
async function freshAccount() {
  const simulator = await startStripeSimulator();
  afterAll(simulator.dispose);
  const { hostname: host, port } = new URL(simulator.url);
  const production: Target = {
    ...targetOf("sandbox", { settingsOf, env: { STRIPE_SECRET_KEY: "sk_test_local" } }),
    ...{ place: "production", webhookUrl: WEBHOOK_URL, siteUrl: "https://www.acme.com" },
    customerPortalUrl: `${simulator.url}/p/login/test`,
    ...clientOf("sk_test_local", { protocol: "http", host, port }),
  };
  /** The kinds of its lines, each once, and their text. */
  const run = async (mode: "check" | "set-up", target = production) => {
    const lines: Line[] = [];
    await setUpStripe(target, mode, (line) => lines.push(line));
    return { marks: [...new Set(lines.map(({ mark }) => mark))], said: lines.map((line) => line.text).join("\n") };
  };
  const stripe = stripeAt(simulator);
  const endpoints = async () => (await stripe.webhookEndpoints.list()).data.filter(({ url }) => url === WEBHOOK_URL);
  const portal = async () => {
    const expand = ["data.features.subscription_update.products"];
    const [found] = (await stripe.billingPortal.configurations.list({ expand })).data;
    if (!found) throw new Error("The account has no configuration of the customer portal");
    return found;
  };
  /** The price that is sold as a package, by its lookup key. */
  const priceOf = async (lookupKey: string) => {
    const [found] = (await stripe.prices.list({ lookup_keys: [lookupKey] })).data;
    if (!found) throw new Error(`No price has the lookup key ${lookupKey}`);
    return found;
  };
  return { url: simulator.url, production, run, stripe, endpoints, portal, priceOf };
}

const account = await freshAccount();
await account.run("set-up");
const { features, ...settings } = await account.portal();

describe("in an account that the command has set up", () => {
  const { stripe, endpoints, priceOf } = account;

  test("the webhook endpoint sends the API's events in the API's version", async () => {
    expect(await endpoints()).toMatchObject([ENDPOINT]);
  });

  test.each(Object.values(PLANS))(
    "$title costs its price each month, in US dollars",
    async ({ packageId, title, priceCents }) => {
      const price = await priceOf(packageId);
      expect(price).toMatchObject({
        ...{ active: true, currency: "usd", unit_amount: priceCents, lookup_key: packageId },
        recurring: { interval: "month", interval_count: 1 },
      });
      expect(await stripe.products.retrieve(String(price.product))).toMatchObject({
        name: title,
        metadata: { package_id: packageId },
      });
    },
  );

  test("a plan can be changed in the portal, which neither ends the trial nor charges at once", async () => {
    const prices = await Promise.all(Object.values(PLANS).map(({ packageId }) => priceOf(packageId)));
    expect(features.subscription_update).toMatchObject({
      enabled: true,
      // A quantity would sell the same plan twice.
      default_allowed_updates: ["price"],
      // "now" would end the trial, and charge the card before the day that the emails name.
      trial_update_behavior: "continue_trial",
      // The rest of the paid month counts: the visitor does not pay it twice.
      proration_behavior: "create_prorations",
    });
    // The plans that are sold, at the prices that the pages show.
    const offered = features.subscription_update.products?.map(({ product, prices: ids }) => ({ product, ids }));
    expect(offered).toEqual(prices.map(({ id, product }) => ({ product, ids: [id] })));
  });

  test("a subscription can be canceled in the portal, and runs until the end of what is paid", () => {
    expect(features.subscription_cancel).toMatchObject({ enabled: true, mode: "at_period_end" });
  });

  test("the card can be replaced and invoices read in the portal, as the emails say", () => {
    expect(features.payment_method_update.enabled).toBe(true);
    expect(features.invoice_history.enabled).toBe(true);
  });

  test("the portal has a login page, our legal pages and a way back to the site", () => {
    expect(settings).toMatchObject({
      active: true,
      login_page: { enabled: true },
      business_profile: {
        privacy_policy_url: "https://www.acme.com/privacy",
        terms_of_service_url: "https://www.acme.com/terms",
      },
      default_return_url: "https://www.acme.com",
    });
  });
});

test("a setting that lacks the portal's URL is named with it", async () => {
  const { said } = await account.run("check", { ...account.production, customerPortalUrl: "" });
  expect(said).toContain(`set in both wrangler.toml files CUSTOMER_PORTAL_URL = "${account.url}/p/login/test"`);
});
