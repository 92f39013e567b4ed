import { connect } from "node:net";
import { fetch, type Request } from "miniflare";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { PERSONAL, validRequest } from "../../support/person";
import { deliver, eventOf, sign } from "../../support/stripe-events";
import {
  enterCard,
  mails,
  newCard,
  rowOf,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
} from "../../support/visitors/visitor";
import { startBackend, startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

/* Many requests at once on the real database, and a visitor who disconnects. */

const { api, stripe, dispose } = await startBackend({ vars: { ONE_TRIAL_PER_PERSON: "true" } });
afterAll(dispose);

/** Runs `work` several times in parallel. */
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
/** The event about the card of a client secret's setup intent. */
async function cardEvent(simulator: { url: string }, clientSecret = ""): Promise<string> {
  const intent = await stripeAt(simulator).setupIntents.retrieve(clientSecret.split("_secret_")[0] ?? "");
  return eventOf("setup_intent.succeeded", intent);
}
const webhooks = z.object({ data: z.array(z.object({ data: z.object({ email: z.string() }) })) });
async function accountWebhooks(email: string) {
  const { data } = webhooks.parse(await (await fetch(`${stripe.url}/console/webhooks`)).json());
  return data.filter((webhook) => webhook.data.email === email);
}
const startMailsOf = async (email: string) =>
  (await mails(stripe, email)).filter(({ subject }) => subject.includes("trial has started"));
const statesOf = async (email: string) =>
  (await rows(api, "SELECT status FROM sign_ups WHERE email = ?", email)).map(({ status }) => status).sort();

test("50 forms with one key at once are one sign-up, one customer and one setup intent", async () => {
  const answers = await times(50, () => signUp(api, { email: "key@example.com" }, "one-key"));
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(new Set(answers.flatMap(({ clientSecret }) => clientSecret ?? [])).size).toBe(1);
  expect(await statesOf("key@example.com")).toEqual(["pending"]);
  const { customers, setupIntents } = await stripeStateOf(stripe, "key@example.com");
  expect([customers.length, setupIntents.length]).toEqual([1, 1]);
});

test("when 20 sign-ups with one email set up their cards at once, one gets a trial and the others no subscription", async () => {
  const email = "email@example.com";
  const answers = await times(20, (index) => signUp(api, { email }, `email-${index}`));
  await times(20, (index) => enterCard(stripe.url, answers[index]?.clientSecret, newCard()));
  await expect.poll(() => statesOf(email)).toEqual([...Array(19).fill("ended"), "trialing"]);
  expect((await stripeStateOf(stripe, email)).subscriptions).toHaveLength(1);
  await expect.poll(() => startMailsOf(email)).toHaveLength(1);
});

test("when 30 sign-ups use one card, one gets a trial and the others lose the card", async () => {
  const card = newCard();
  const emails = Array.from({ length: 30 }, (_, index) => `card-${index}@example.com`);
  const answers = await Promise.all(emails.map((email) => signUp(api, { email })));
  await Promise.all(answers.map(({ clientSecret }) => enterCard(stripe.url, clientSecret, card)));
  const state = "count(*) || ' ' || status || ', used cards: ' || used_cards AS state";
  const counts = () => rows(api, `SELECT ${state} FROM sign_ups WHERE email LIKE 'card-%' GROUP BY status, used_cards`);
  const expected = ["29 pending, used cards: 1", "1 trialing, used cards: 0"];
  await expect.poll(counts).toEqual(expected.map((state) => ({ state })));
  const atStripe = await Promise.all(emails.map((email) => stripeStateOf(stripe, email)));
  expect(atStripe.flatMap(({ subscriptions }) => subscriptions)).toHaveLength(1);
  const used = atStripe.flatMap(({ setupIntents }) => setupIntents.flatMap(({ payment_method: id }) => id ?? []));
  const owners = used.map(async (id) => (await stripeAt(stripe).paymentMethods.retrieve(String(id))).customer);
  expect((await Promise.all(owners)).filter((owner) => owner !== null)).toHaveLength(1);
});

test("an event that is delivered ten times at once counts once, and no log or row has a secret", async () => {
  const email = "once@example.com";
  // Text that would be SQL, were it not bound.
  const company_name = "x'); DROP TABLE sign_ups;--";
  const { clientSecret } = await signUp(api, { email, company_name });
  await enterCard(stripe.url, clientSecret, newCard());
  const told = async () => [(await startMailsOf(email)).length, (await accountWebhooks(email)).length];
  await expect.poll(told).toEqual([1, 1]);
  const before = await rowOf(api, email);
  expect(before).toMatchObject({ company_name, status: "trialing" });
  const event = await cardEvent(stripe, clientSecret);
  expect(await times(10, () => deliver(api, event))).toEqual(Array(10).fill(200));
  expect([await rowOf(api, email), await told()]).toEqual([before, [1, 1]]);
  expect(await signUp(api, { email: " Once@Example.com " })).toMatchObject({ status: 409 });
  expect(JSON.stringify(before)).not.toMatch(new RegExp(`_secret_|${validRequest.password}`));
  expect(JSON.stringify(api.logs)).not.toMatch(PERSONAL);
});

test("a form and a webhook are processed to their ends, with setup intent and email, although their senders hang up", async () => {
  const email = "hang-up@example.com";
  // Delivers no webhooks.
  const simulator = await startStripeSimulator();
  const calls: string[] = [];
  let gate = Promise.resolve();
  /** Holds back its calls to Stripe, so that a client can hang up in the meantime. */
  const held = await startSubscriptionApi({
    simulatorUrl: simulator.url,
    miniflare: {
      // Miniflare's own entrypoint would keep from the Worker that its client hung up.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      outboundService: async (request: Request) => {
        calls.push(request.url);
        await gate;
        return fetch(request);
      },
    },
  });
  /** Posts, hangs up when the first call has left for Stripe, and lets that one through. */
  async function postAndHangUp(path: string, header: string, body: string) {
    calls.length = 0;
    let letThrough = () => {};
    gate = new Promise((resolve) => {
      letThrough = resolve;
    });
    const { port, hostname } = await held.mf.unsafeGetDirectURL("citewell-subscription-api-local");
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Length: ${Buffer.byteLength(body)}`, header];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    await expect.poll(() => calls).toHaveLength(1);
    socket.resetAndDestroy();
    letThrough();
  }

  await postAndHangUp("/subscription", "Content-Type: application/json", JSON.stringify({ ...validRequest, email }));
  const withIntent = { stripe_setup_intent_id: expect.stringMatching(/^seti_/) };
  await expect.poll(() => rowOf(held, email)).toMatchObject(withIntent);
  // The same form again.
  const { clientSecret } = await signUp(held, { email });
  await enterCard(simulator.url, clientSecret);
  const event = await cardEvent(simulator, clientSecret);
  await postAndHangUp("/webhooks/stripe", `Stripe-Signature: ${sign(event)}`, event);
  await expect.poll(() => rowOf(held, email)).toMatchObject({ status: "trialing" });
  await expect.poll(() => mails(simulator, email)).toHaveLength(1);
  await held.dispose();
  await simulator.dispose();
});
