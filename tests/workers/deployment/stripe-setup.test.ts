import Stripe from "stripe";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/webhook-events";
import type { Neighbors } from "../../../tools/neighbors";
import { stripeSetup } from "../../../tools/stripe-setup/stripe-setup";
import { clientOf } from "../../../tools/stripe-setup/target";
import { PLANS } from "../../support/plans";
import { stripeAt } from "../../support/visitors/visitor";
import { startStripeSimulator } from "../../support/workers/workers";
import { deployment } from "../../unit/tools/filled-in-deployment";
import { siteAlone } from "../../unit/tools/neighbors";
import { outcomeOf } from "../../unit/tools/outcome";

/*
 * `npm run stripe:setup`: its exit code, its last line, and what it changes at Stripe, for each state of the account. Wanted
 * values are typed here again, because the command compares an account with its own values.
 */

const simulator = await startStripeSimulator();
afterAll(simulator.dispose);
const stripe = stripeAt(simulator);
const { hostname: host, port } = new URL(simulator.url);
const real: typeof clientOf = () => clientOf("sk_test_local", { protocol: "http", host, port });

const PORTAL_URL = `${simulator.url}/p/login/test`;
const { site, api, other } = deployment([{ from: "https://billing.stripe.com/p/login/0123456789", to: PORTAL_URL }]);
const settingsOf: Neighbors["settingsOf"] = (target) => (target === "production" ? { site, api } : other);

const KEY = { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" };
type Mode = "check" | "set-up";
type Change = { client?: typeof clientOf; env?: NodeJS.ProcessEnv; settings?: Neighbors["settingsOf"] };
const run = (mode: Mode, { client = real, env = KEY, settings = settingsOf }: Change = {}) =>
  outcomeOf(() => stripeSetup("production", mode, { settingsOf: settings, env }, client));

const url = "https://api.acme.com/webhooks/stripe";
const endpoints = async () => (await stripe.webhookEndpoints.list()).data.filter((one) => one.url === url);
const portals = async () => {
  const expand = ["data.features.subscription_update.products"];
  return (await stripe.billingPortal.configurations.list({ expand })).data;
};
const prices = async () => (await stripe.prices.list({ limit: 100, expand: ["data.product"] })).data;
/** Everything that the command may change. */
const state = async () => JSON.stringify([await endpoints(), await portals(), await prices()]);

const AGAIN = "npm run stripe:setup production";
const RIGHT = "Everything at Stripe is right.";
const DIFFERS = `Stripe differs. To correct it: ${AGAIN}`;
const DONE = 'Set up emails and Radar by hand, because they have no API: docs/operations.md, "Stripe".';

const changeEndpoint = async (change: Stripe.WebhookEndpointUpdateParams) => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.update(id, change);
};

test.each([
  { what: "nothing is set up", before: async () => {}, says: "customer portal: there is no configuration" },
  { what: "the webhook endpoint is disabled", before: () => changeEndpoint({ disabled: true }), says: "is disabled" },
  {
    what: "the endpoint lacks events",
    before: () => changeEndpoint({ enabled_events: ["invoice.paid"] }),
    says: "does not send the events that the API needs",
  },
  {
    what: "a plan has another name at Stripe",
    says: `${PLANS.LITE.title} is named OLD at Stripe`,
    before: async () => {
      for (const { lookup_key, product } of await prices())
        if (lookup_key === PLANS.LITE.packageId) await stripe.products.update(Object(product).id, { name: "OLD" });
    },
  },
  {
    what: "the portal cancels at once",
    says: "is wrong in: features.subscription_cancel.mode",
    before: async () => {
      const features = { subscription_cancel: { enabled: true, mode: "immediately" as const } };
      for (const { id } of await portals()) await stripe.billingPortal.configurations.update(id, { features });
    },
  },
])("where $what, a check fails and changes nothing, and setting up corrects it once", async ({ before, says }) => {
  await before();
  const found = await state();
  expect(await run("check")).toMatchObject({ exitCode: 1, last: DIFFERS, output: expect.stringContaining(says) });
  expect(await state(), "changed by a check").toBe(found);

  expect(await run("set-up")).toMatchObject({ exitCode: 0, last: DONE });
  const corrected = await state();
  expect([await run("check"), await run("set-up")]).toMatchObject([
    { exitCode: 0, last: RIGHT },
    { exitCode: 0, last: DONE },
  ]);
  expect(await state(), "changed again").toBe(corrected);
});

test("a new webhook endpoint sends the API's events in the API's version, and its secret is shown once", async () => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.del(id);
  const [first, second] = [await run("set-up"), await run("set-up")];
  expect(first.output).toMatch(/whsec_\w+\n.*, and paste the secret when it asks:\n {4}npx wrangler secret put/);
  expect(second.output).not.toContain("whsec_");
  expect(await endpoints()).toMatchObject([
    {
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
    },
  ]);
});

test("the plans cost their prices each month, and the portal offers them as the emails promise", async () => {
  await run("set-up");
  const sold = (await prices()).filter(({ lookup_key }) => lookup_key !== null).reverse();
  expect(sold).toMatchObject(
    Object.values(PLANS).map(({ packageId, title, priceCents }) => ({
      ...{ active: true, currency: "usd", unit_amount: priceCents, lookup_key: packageId },
      recurring: { interval: "month", interval_count: 1 },
      product: { name: title, metadata: { package_id: packageId } },
    })),
  );
  expect(await portals()).toMatchObject([
    {
      active: true,
      login_page: { enabled: true },
      business_profile: {
        privacy_policy_url: "https://www.acme.com/privacy",
        terms_of_service_url: "https://www.acme.com/terms",
      },
      default_return_url: "https://www.acme.com",
      features: {
        subscription_update: {
          enabled: true,
          // A quantity would sell the same plan twice.
          default_allowed_updates: ["price"],
          // "now" would end the trial, and charge the card before the day that the emails name.
          trial_update_behavior: "continue_trial",
          // The rest of the paid month counts: the visitor does not pay it twice.
          proration_behavior: "create_prorations",
          products: sold.map(({ id, product }) => ({ product: Object(product).id, prices: [id] })),
        },
        subscription_cancel: { enabled: true, mode: "at_period_end" },
        payment_method_update: { enabled: true },
        invoice_history: { enabled: true },
      },
    },
  ]);
});

test("settings that lack the portal's URL are named with it", async () => {
  const { output } = await run("check", { settings: () => deployment() });
  expect(output).toContain(`set in both wrangler.toml files CUSTOMER_PORTAL_URL = "${PORTAL_URL}"`);
});

/** An endpoint that the test removes again. */
async function newEndpoint(api_version: Stripe.WebhookEndpointCreateParams.ApiVersion) {
  const { id } = await stripe.webhookEndpoints.create({ api_version, enabled_events: WEBHOOK_EVENTS, url });
  onTestFinished(async () => void (await stripe.webhookEndpoints.del(id)));
  return id;
}

test("beside an endpoint of another version a second one is made, and the old one is named until it is disabled", async () => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.del(id);
  const old = await newEndpoint("2020-08-27");
  expect((await run("set-up")).output).toContain("and paste this secret, a comma and the old secret when it asks");
  const says = `${old} sends the same events (version 2020-08-27): disable it three days after`;
  expect(await run("check")).toMatchObject({ exitCode: 1, last: DIFFERS, output: expect.stringContaining(says) });
  await stripe.webhookEndpoints.update(old, { disabled: true });
  // A newer one that is disabled is not taken for the one that works.
  await stripe.webhookEndpoints.update(await newEndpoint(Stripe.API_VERSION), { disabled: true });
  expect(await run("check")).toMatchObject({ exitCode: 0, last: RIGHT });
});

/** A client of a Stripe that answers like this. */
const answering = (fetch: typeof globalThis.fetch): typeof clientOf => {
  const httpClient = Stripe.createFetchHttpClient(fetch);
  return () => clientOf("sk_test_local", { maxNetworkRetries: 0, httpClient });
};
const error = (status: number, body: object) => answering(async () => Response.json({ error: body }, { status }));

const DEFAULT = { id: "bpc_default", is_default: true, login_page: { url: null }, metadata: {} };
const OURS = { ...DEFAULT, id: "bpc_ours", is_default: false, metadata: { made_by: "npm run stripe:setup" } };
const IN_SETTINGS = { ...OURS, id: "bpc_settings", metadata: {}, login_page: { url: PORTAL_URL } };

test.each([
  { portals: [DEFAULT, OURS, IN_SETTINGS], checked: IN_SETTINGS },
  { portals: [DEFAULT, OURS], checked: OURS },
  { portals: [{ ...OURS, metadata: {} }, DEFAULT], checked: DEFAULT },
])("of $portals.length portal configurations $checked.id is checked", async ({ portals: data, checked }) => {
  const { output } = await run("check", { client: answering(async () => Response.json({ object: "list", data })) });
  expect(output).toContain(`customer portal: ${checked.id} is wrong in: features`);
});

const ENOTFOUND = new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND api.stripe.com") });
const STOPPED: Record<Mode, string> = {
  check: `Not everything could be checked. Correct the problem above, then: ${AGAIN} -- --check`,
  "set-up": `Not everything could be set up. Correct the problem above, then: ${AGAIN}`,
};

test.each<{ what: string; mode: Mode; client: typeof clientOf; says: RegExp }>([
  {
    ...{ what: "is silent", mode: "check", client: answering(() => Promise.reject(ENOTFOUND)) },
    says: /✗ Stripe cannot be reached \(.*ENOTFOUND api\.stripe\.com\): check the network/,
  },
  {
    ...{ what: "fails", mode: "set-up", client: error(500, { type: "api_error", message: "Down" }) },
    says: /✗ Stripe answered 500 .*Down/,
  },
  {
    ...{ what: "does not know the key", mode: "check", client: error(401, { message: "No" }) },
    says: /✗ Stripe does not know the key: copy it again from https/,
  },
  {
    ...{ what: "lacks a permission", mode: "set-up", client: error(403, { message: "The 'rak_webhook_write' one" }) },
    says: /✗ webhook endpoint: The key lacks the permission rak_webhook_write: tick it at https/,
  },
])("a Stripe that $what fails the command ($mode), which says what to do", async ({ mode, client, says }) => {
  const output = expect.stringMatching(says);
  expect(await run(mode, { client })).toMatchObject({ exitCode: 1, last: STOPPED[mode], output });
});

const TEST_KEY = { STRIPE_SECRET_KEY: "sk_test_0123456789abcdef" };
const WITH_ITS_API = "Webhooks, prices and the customer portal are set up with that API.";
test.each<{ what: string; change: Change; exitCode: number; says: string }>([
  { what: "a test key", change: { env: TEST_KEY }, exitCode: 1, says: "STRIPE_SECRET_KEY is not a live key" },
  { what: "a site that is deployed alone", change: { settings: siteAlone }, exitCode: 0, says: WITH_ITS_API },
])("with $what, production is left alone", async ({ change, exitCode, says }) => {
  const found = await state();
  expect(await run("set-up", change)).toMatchObject({ exitCode, last: expect.stringContaining(says) });
  expect(await state()).toBe(found);
});
