import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliver, newCard, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import { enterCard, mails, post, rows, signUp, stripeAt, stripeStateOf, times } from "../../support/visitors/visitor";
import type { RunningWorker } from "../../support/workers/workers";

/** The local token (functions/subscription-api/wrangler.toml). */
const OPERATOR_TOKEN = "only-for-local-development-never-for-a-deployment";

let api: RunningWorker;
let stripe: RunningWorker;
let proxy: FaultyProxy;

/** Sets a card up for a sign-up and delivers Stripe's event; the row after it. */
async function withCard(email: string, card: string, clientSecret?: string) {
  const secret = clientSecret ?? (await signUp(api, { email })).clientSecret;
  const { body } = await enterCard(stripe.url, secret, card);
  const event = await setupEvent(stripe, "setup_intent.succeeded", secret);
  const status = await deliver(api, event);
  return { secret, event, status, paymentMethod: body.payment_method, row: await rowOf(api, email) };
}

const erase = (email: string) =>
  post(`${api.url}/operator/erase`, JSON.stringify({ email }), {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
    "content-type": "application/json",
  });

describe("with ONE_TRIAL_PER_PERSON", () => {
  beforeAll(async () => {
    const backend = await startFaultyBackend({ ONE_TRIAL_PER_PERSON: "true" });
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  test("a used card is detached and starts no trial; the mail says so; another card does [H10]", async () => {
    const card = newCard();
    await withCard("owner@example.com", card);
    const used = await withCard("again@example.com", card);

    expect(used.row).toMatchObject({ status: "pending", used_cards: 1, stripe_setup_intent_id: null });
    expect((await stripeAt(stripe).paymentMethods.retrieve(used.paymentMethod)).customer).toBeNull();
    expect((await stripeStateOf(stripe, "again@example.com")).subscriptions).toEqual([]);
    await expect.poll(() => mails(stripe, "again@example.com")).toHaveLength(1);
    const [mail] = await mails(stripe, "again@example.com");
    expect(mail?.subject).toBe("Your Citewell trial has not started");
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain("has already been used for a free trial");
      expect(form).toContain("You weren’t charged");
      expect(form).toContain("http://localhost:8787/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430");
      expect(form).toContain("sales@citewell.example");
    }

    for (const _ of [1, 2]) expect(await deliver(api, used.event.replace(/"evt_[^"]+"/, '"evt_again"'))).toBe(200);
    expect(await rowOf(api, "again@example.com")).toMatchObject({ status: "pending", used_cards: 1 });
    expect(await mails(stripe, "again@example.com")).toHaveLength(1);

    expect((await signUp(api, { email: "again@example.com" }, "again")).status).toBe(200);
    expect((await withCard("again@example.com", newCard())).row).toMatchObject({ status: "trialing" });
  });

  test("of 30 sign-ups at once with one card exactly one gets a trial, and no other keeps the card [H10]", async () => {
    const card = newCard();
    const emails = Array.from({ length: 30 }, (_, index) => `crowd-${index}@example.com`);
    const answers = await Promise.all(emails.map((email) => signUp(api, { email })));
    await Promise.all(answers.map(({ clientSecret }) => enterCard(stripe.url, clientSecret, card)));
    const events = await Promise.all(
      answers.map(({ clientSecret }) => setupEvent(stripe, "setup_intent.succeeded", clientSecret)),
    );
    await Promise.all(events.map((event) => deliver(api, event)));
    // What failed on a busy machine is sent again, as Stripe does.
    for (const event of events) expect(await deliver(api, event)).toBe(200);

    const states = await rows(api, "SELECT status, count(*) AS n FROM sign_ups WHERE email LIKE 'crowd-%' GROUP BY 1");
    expect(states).toEqual([
      { status: "pending", n: 29 },
      { status: "trialing", n: 1 },
    ]);
    const atStripe = await Promise.all(emails.map((email) => stripeStateOf(stripe, email)));
    expect(atStripe.flatMap(({ subscriptions }) => subscriptions)).toHaveLength(1);
    const methods = atStripe.flatMap(({ setupIntents }) => setupIntents.map(({ payment_method }) => payment_method));
    const attached = await Promise.all(
      methods.map(async (id) => (await stripeAt(stripe).paymentMethods.retrieve(String(id))).customer !== null),
    );
    expect(attached.filter(Boolean)).toHaveLength(1);
    expect(attached).toHaveLength(30);
  });

  test("of two addresses of one mailbox at once, one gets a trial [H10]", async () => {
    const emails = ["twin@gmail.com", "t.win+2@gmail.com"];
    const answers = await Promise.all(emails.map((email) => signUp(api, { email })));
    for (const { clientSecret } of answers) await enterCard(stripe.url, clientSecret, newCard());
    const events = await Promise.all(
      answers.map(({ clientSecret }) => setupEvent(stripe, "setup_intent.succeeded", clientSecret)),
    );
    await times(2, (index) => deliver(api, events[index] ?? ""));
    const found = await Promise.all(emails.map((email) => rowOf(api, email)));
    expect(found.map(({ status }) => status).sort()).toEqual(["superseded", "trialing"]);
  });

  test.each([
    ["Stripe does not detach it", () => proxy.breakAt("POST /v1/payment_methods/", "500-before")],
    [
      "the database fails",
      () =>
        proxy.decideDatabase(({ sql }) =>
          sql.includes("'card-used'") || sql.includes("used_cards + 1") ? "refuse" : undefined,
        ),
    ],
  ])("refuses a used card once when %s at first [H10]", async (name, fail) => {
    const card = newCard();
    const email = `broken-${name.replaceAll(/\W+/g, "-").toLowerCase()}@example.com`;
    await withCard(`first-${email}`, card);
    const { clientSecret } = await signUp(api, { email });
    fail();
    const cut = await withCard(email, card, clientSecret);
    expect(cut.status).toBeGreaterThanOrEqual(500);
    expect(cut.row).toMatchObject({ status: "pending", used_cards: 0 });

    proxy.repair();
    expect(await deliver(api, cut.event)).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "pending", used_cards: 1 });
    expect((await stripeAt(stripe).paymentMethods.retrieve(cut.paymentMethod)).customer).toBeNull();
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
  });

  test("erasing a person keeps two hashes that lead to nobody, and neither mailbox nor card gets a trial again [H10]", async () => {
    const card = newCard();
    const { row } = await withCard("forget.me@gmail.com", card);
    const claims = await rows(api, "SELECT hash FROM trial_claims WHERE sign_up_id = ?", row.id);
    expect(claims).toHaveLength(2);
    const countsBefore = (await rows(api, "SELECT 1 FROM sign_up_counts")).length;
    expect((await erase("forget.me@gmail.com")).text).toBe('{"erased":1}');
    expect(await rows(api, "SELECT 1 FROM sign_up_counts")).toHaveLength(countsBefore - 1);

    for (const { hash } of claims) {
      expect(await rows(api, "SELECT * FROM trial_claims WHERE hash = ?", hash)).toEqual([{ hash, sign_up_id: null }]);
    }
    for (const table of ["sign_ups", "outbox", "stripe_events", "sign_up_counts", "trial_claims"]) {
      const kept = JSON.stringify(await rows(api, `SELECT * FROM ${table}`));
      expect(kept).not.toContain(String(row.id));
      expect(kept).not.toMatch(/forget\.?me/);
    }
    expect((await signUp(api, { email: "forgetme+new@googlemail.com" })).status).toBe(409);
    expect((await withCard("somebody@example.com", card)).row).toMatchObject({ status: "pending", used_cards: 1 });
  });
});
