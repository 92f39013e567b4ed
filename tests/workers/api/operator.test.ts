import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { callApi } from "../../../tools/operator/call-api";
import { enterCard, rowOf, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import { startBackend, startSubscriptionApi } from "../../support/workers/workers";

/* The operator's commands from the terminal to a Worker. Each test has a backend of its own. */

const token = LOCAL_SECRETS.OPERATOR_TOKEN;
const catalogAnswer = z.object({ prices: z.array(z.object({ created: z.boolean() })) });

async function newBackend() {
  const { api, stripe, dispose } = await startBackend();
  onTestFinished(dispose);
  return {
    api,
    stripe,
    /** Runs the command. Returns for each package whether it got a new price at Stripe. */
    async catalog() {
      const { prices } = catalogAnswer.parse(await callApi({ url: api.url, token }, "catalog"));
      return prices.map(({ created }) => created);
    },
    /** The price at Stripe with which MINI is sold. */
    async miniPrice() {
      const [{ stripe_price_id } = {}] = await rows(api, "SELECT stripe_price_id FROM packages WHERE name = 'MINI'");
      return stripeAt(stripe).prices.retrieve(String(stripe_price_id));
    },
  };
}

test("catalog gives each package a monthly price in US dollars at Stripe", async () => {
  const { catalog, miniPrice } = await newBackend();
  expect(await catalog()).toEqual([true, true, true]);
  expect(await miniPrice()).toMatchObject({ unit_amount: 10_000, currency: "usd", recurring: { interval: "month" } });
});

test("catalog finds the prices of packages that have lost them", async () => {
  const { api, catalog, miniPrice } = await newBackend();
  await catalog();
  const { id } = await miniPrice();
  await rows(api, "UPDATE packages SET stripe_price_id = 'lost ' || name");
  expect(await catalog()).toEqual([false, false, false]);
  expect(await miniPrice()).toMatchObject({ id });
});

test("catalog gives a package whose cents have changed another price of the same product", async () => {
  const { api, catalog, miniPrice } = await newBackend();
  await catalog();
  const { product } = await miniPrice();
  await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
  expect(await catalog()).toEqual([true, false, false]);
  expect(await miniPrice()).toMatchObject({ unit_amount: 12_000, product });
});

test("catalog replaces a yearly price that someone set for a package at Stripe", async () => {
  const { stripe, catalog, miniPrice } = await newBackend();
  await catalog();
  const { product, lookup_key } = await miniPrice();
  await stripeAt(stripe).prices.create({
    currency: "usd",
    unit_amount: 10_000,
    product: String(product),
    lookup_key: String(lookup_key),
    transfer_lookup_key: true,
    recurring: { interval: "year" },
  });
  expect(await catalog()).toEqual([true, false, false]);
  expect(await miniPrice()).toMatchObject({ product, recurring: { interval: "month" } });
});

/** Runs after-restore for the last minute. */
function restore({ url }: { url: string }) {
  const [restoredTo, stoppedAt] = [new Date(Date.now() - 60_000).toISOString(), new Date().toISOString()];
  return callApi({ url, token }, "after-restore", { restored_to: restoredTo, stopped_at: stoppedAt });
}

test("after-restore is refused outside maintenance", async () => {
  const { api } = await newBackend();
  await expect(restore(api)).rejects.toThrow("Set MAINTENANCE to true first");
});

test("after-restore names the person whom Stripe knows and the database has lost", async () => {
  const { api, stripe } = await newBackend();
  const email = "lost@example.com";
  await enterCard(stripe.url, (await signUp(api, { email })).clientSecret);
  await expect.poll(async () => (await rowOf(api, email)).status).toBe("trialing");
  const { id: sign_up_id, stripe_customer_id: customer_id } = await rowOf(api, email);
  const empty = await startSubscriptionApi({ simulatorUrl: stripe.url, vars: { MAINTENANCE: "true" } });
  onTestFinished(empty.dispose);
  expect(await restore(empty)).toEqual({
    missing: [{ sign_up_id, customer_id, had_trial: true }],
    deleted_again: 0,
    emails_held_back: 0,
    checked_again: 0,
  });
});
