import Stripe from "stripe";
import { afterAll, expect, test } from "vitest";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/webhook-events";
import { PACKAGES } from "../../../tools/releases/prices";
import { setUpStripe } from "../../../tools/stripe-setup/stripe-setup";
import { clientOf, type Line, type Target, targetOf } from "../../../tools/stripe-setup/target";
import { stripeAt } from "../../support/visitors/visitor";
import { startStripeSimulator } from "../../support/workers/workers";

/* `npm run stripe:setup` against a fresh account of the simulator. */

const WEBHOOK_URL = "https://api.acme.com/webhooks/stripe";

const simulator = await startStripeSimulator();
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

const { hostname: host, port } = new URL(simulator.url);
const PRODUCTION: Target = {
  ...targetOf("sandbox", { STRIPE_SECRET_KEY: "sk_test_local" }),
  ...{ place: "production", webhookUrl: WEBHOOK_URL, siteUrl: "https://www.acme.com" },
  customerPortalUrl: `${simulator.url}/p/login/test`,
  ...clientOf("sk_test_local", { protocol: "http", host, port }),
};

/** The kinds of its lines, each once, and their text. */
async function run(mode: "check" | "set-up", target = PRODUCTION) {
  const lines: Line[] = [];
  await setUpStripe(target, mode, (line) => lines.push(line));
  return { marks: [...new Set(lines.map(({ mark }) => mark))], said: lines.map((line) => line.text).join("\n") };
}

const endpoints = async () => (await stripe.webhookEndpoints.list()).data.filter(({ url }) => url === WEBHOOK_URL);

test("stripe:setup makes webhook endpoint, prices and portal, shows the signing secret once, and changes nothing when run again, but what differs", async () => {
  const fresh = await run("check");
  const parts = fresh.said.split("\n").map((what) => what.replace(/: .*/, ""));
  expect(parts).toEqual(["webhook endpoint", "prices", "prices", "prices", "customer portal"]);

  const first = await run("set-up");
  expect(first.marks).toEqual(["changed"]);
  const command = "npx wrangler secret put STRIPE_WEBHOOK_SECRET --env production --cwd";
  expect(first.said).toMatch(new RegExp(`whsec_\\w+\n.*paste the secret.*\n {4}${command}`));
  const endpoint = { api_version: Stripe.API_VERSION, status: "enabled", enabled_events: WEBHOOK_EVENTS };
  expect(await endpoints()).toMatchObject([endpoint]);
  const prices = (await stripe.prices.list({ limit: 100 })).data.filter(({ lookup_key }) => lookup_key !== null);
  expect(prices.map(({ unit_amount }) => unit_amount).sort()).toEqual(PACKAGES.map((one) => one.price_cents).sort());

  const again = await run("set-up");
  expect(again.marks).toEqual(["ok"]);
  expect(again.said).not.toContain("whsec_");
  const { said } = await run("check", { ...PRODUCTION, customerPortalUrl: "" });
  expect(said).toContain(`set in both wrangler.toml files CUSTOMER_PORTAL_URL = "${simulator.url}/p/login/test"`);

  const [{ id } = { id: "" }] = await endpoints();
  const [portal] = (await stripe.billingPortal.configurations.list()).data;
  await stripe.webhookEndpoints.update(id, { enabled_events: ["invoice.paid"] });
  await stripe.billingPortal.configurations.update(String(portal?.id), {
    features: { subscription_cancel: { enabled: true, mode: "immediately" }, invoice_history: { enabled: false } },
  });
  const differing = await run("check");
  const wrong = "features.invoice_history.enabled, features.subscription_cancel.mode";
  expect(differing.said.split("\n").filter((what) => !what.startsWith("prices: "))).toEqual([
    `webhook endpoint: ${id} does not send the events that the API needs`,
    `customer portal: ${portal?.id} is wrong in: ${wrong}`,
  ]);
  await run("set-up");
  expect((await run("check")).marks).toEqual(["ok"]);
});
