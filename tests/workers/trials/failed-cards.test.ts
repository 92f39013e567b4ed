import { afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { CARDS, deliver, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import { enterCard, signUp, stripeAt, stripeStateOf } from "../../support/visitors/visitor";
import type { RunningWorker } from "../../support/workers/workers";

describe("declined cards", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  /** A sign-up with declined cards, of which the API has not heard. */
  async function declined(email: string, count: number, key?: string) {
    const { clientSecret } = await signUp(api, { email }, key);
    for (let attempt = 0; attempt < count; attempt += 1) await enterCard(stripe.url, clientSecret, CARDS.declined);
    const event = (id: string) => setupEvent(stripe, "setup_intent.setup_failed", clientSecret, `evt_${email}_${id}`);
    const fail = async (id: string) => deliver(api, await event(id));
    return { clientSecret, fail };
  }

  test("five end the sign-up and its setup intent; the log says so, and the same form makes a new sign-up [H3]", async () => {
    const email = "tester@example.com";
    const { clientSecret, fail } = await declined(email, 5, "tester");
    for (const id of ["1", "2", "3", "4", "5"]) expect(await fail(id)).toBe(200);
    const good = await enterCard(stripe.url, clientSecret);
    expect(good).toMatchObject({ status: 400, body: { error: { code: "setup_intent_unexpected_state" } } });
    const { id, ...row } = await rowOf(api, email);
    expect(row).toMatchObject({ status: "superseded", end_reason: "cards-failed", declined_cards: 5 });
    const line = { level: "warn", event: "sign_up_ended", signUpId: id, reason: "cards-failed" };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(line));

    const again = await signUp(api, { email }, "tester");
    expect(again.status).toBe(200);
    expect(again.clientSecret).not.toBe(clientSecret);
  });

  test("a good card that is set up while the fifth failure ends the sign-up is detached, and the event is taken [H3]", async () => {
    const email = "between@example.com";
    const { clientSecret, fail } = await declined(email, 5);
    for (const id of ["1", "2", "3", "4"]) await fail(id);
    const { stripe_setup_intent_id } = await rowOf(api, email);
    // The API still reads that the intent is open, and then cannot cancel it any more.
    const reading = proxy.hold(`GET /v1/setup_intents/${stripe_setup_intent_id}`);
    const fifth = fail("5");
    const letGo = await reading;
    const { body } = await enterCard(stripe.url, clientSecret);
    letGo();
    expect(await fifth).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect((await stripeAt(stripe).paymentMethods.retrieve(body.payment_method)).customer).toBeNull();
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
  });

  test("a question how it stands, while the fifth failure detaches the card, starts no trial [H3]", async () => {
    const email = "asks@example.com";
    const { text, clientSecret } = await signUp(api, { email });
    for (let attempt = 0; attempt < 5; attempt += 1) await enterCard(stripe.url, clientSecret, CARDS.declined);
    const fail = async (id: string) =>
      deliver(api, await setupEvent(stripe, "setup_intent.setup_failed", clientSecret, `evt_${email}_${id}`));
    for (const id of ["1", "2", "3", "4"]) await fail(id);
    const { body } = await enterCard(stripe.url, clientSecret);
    const succeeded = await setupEvent(stripe, "setup_intent.succeeded", clientSecret);
    const { payment_method } = body;
    const detaching = proxy.hold(`POST /v1/payment_methods/${payment_method}/detach`);
    const fifth = fail("5");
    const letGo = await detaching;
    const asked = await (await fetch(z.object({ status_url: z.string() }).parse(JSON.parse(text)).status_url)).json();
    expect(await deliver(api, succeeded)).toBe(200);
    letGo();
    expect(asked).toEqual({ status: "ended" });
    expect(await fifth).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
  });
});
