import { afterAll, describe, expect, test } from "vitest";
import { enterCard, newIntent, stripeAt } from "../support/visitors/visitor";
import { startStripeSimulator } from "../support/workers/workers";

/* The test cards, over the wire. */

const simulator = await startStripeSimulator();
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

describe("a card", () => {
  test("that works is set up, and no other card is taken then", async () => {
    const { secret, status } = await newIntent(stripe, "works@example.com");
    expect((await enterCard(simulator.url, secret, "4242424242424242")).status).toBe(200);
    expect(await status()).toBe("succeeded");
    expect((await enterCard(simulator.url, secret)).status).toBe(400);
  });

  test("that is declined leaves the setup open for the next card", async () => {
    const { secret, status } = await newIntent(stripe, "declined@example.com");
    expect((await enterCard(simulator.url, secret, "4000000000000002")).status).toBe(402);
    expect(await status()).toBe("requires_payment_method");
    expect((await enterCard(simulator.url, secret)).status).toBe(200);
  });

  test("that is no test card is declined in Stripe's words", async () => {
    const { secret, status } = await newIntent(stripe, "real@example.com");
    const { body } = await enterCard(simulator.url, secret, "4012888888881881");
    expect(JSON.parse(body)).toMatchObject({ error: { decline_code: "test_mode_live_card" } });
    expect(await status()).toBe("requires_payment_method");
  });

  test("that has expired is refused without an attempt", async () => {
    const { id, secret } = await newIntent(stripe, "expired@example.com");
    const { body } = await enterCard(simulator.url, secret, "4242424242424242", { exp_month: "13" });
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_expiry_month", param: "exp_month" } });
    expect((await stripe.setupIntents.retrieve(id)).latest_attempt).toBeNull();
  });

  test("that is declined after the bank's challenge is not set up", async () => {
    const { id, secret, status } = await newIntent(stripe, "challenge@example.com");
    await enterCard(simulator.url, secret, "4000008400001629");
    expect(await status()).toBe("requires_action");
    const { latest_attempt } = await stripe.setupIntents.retrieve(id);
    const outcome = new URLSearchParams({ outcome: "complete" });
    await fetch(`${simulator.url}/authenticate/${id}/${latest_attempt}`, {
      method: "POST",
      body: outcome,
      redirect: "manual",
    });
    expect(await status()).toBe("requires_payment_method");
  });
});
