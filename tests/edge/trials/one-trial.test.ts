import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { CARDS, deliver, newCard, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import {
  type ApiAnswer,
  enterCard,
  mails,
  post,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
  times,
} from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled } from "../../support/workers/workers";

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

async function cancelTrial(email: string): Promise<void> {
  const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
  await stripeAt(stripe).subscriptions.cancel(String(row?.stripe_subscription_id));
  await rows(api, "UPDATE sign_ups SET check_at = '2026-01-01' WHERE id = ?", row?.id);
  await runScheduled(api);
  expect(await rows(api, "SELECT status FROM sign_ups WHERE id = ?", row?.id)).toEqual([{ status: "canceled" }]);
}

const erase = (email: string) =>
  post(`${api.url}/operator/erase`, JSON.stringify({ email }), { authorization: `Bearer ${OPERATOR_TOKEN}` });

describe("by default", () => {
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  it("an e-mail has one trial, for ever: after its end the sign-up is a 409 [H10]", async () => {
    await withCard("ever@example.com", CARDS.visa);
    await cancelTrial("ever@example.com");
    for (const email of ["ever@example.com", " EVER@Example.com "]) {
      expect(await signUp(api, { email })).toMatchObject({ status: 409, contentType: "application/problem+json" });
    }
  });

  it("a sign-up that waited since before the trial ended gets none either [H10]", async () => {
    const { clientSecret } = await signUp(api, { email: "waited@example.com" });
    await withCard("waited@example.com", CARDS.visa);
    await cancelTrial("waited@example.com");
    await withCard("waited@example.com", CARDS.amex, clientSecret);
    const statuses = await rows(api, "SELECT status FROM sign_ups WHERE email = 'waited@example.com' ORDER BY status");
    expect(statuses).toEqual([{ status: "canceled" }, { status: "superseded" }]);
  });

  it("a trial that began before trials were claimed counts too [H10]", async () => {
    const { clientSecret } = await signUp(api, { email: "early@example.com" });
    const { row } = await withCard("early@example.com", CARDS.visa);
    await cancelTrial("early@example.com");
    await rows(api, "DELETE FROM trial_claims WHERE sign_up_id = ?", row.id);
    expect((await signUp(api, { email: "early@example.com" })).status).toBe(409);
    await enterCard(stripe.url, clientSecret, CARDS.amex);
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret))).toBe(200);
    const statuses = await rows(api, "SELECT status FROM sign_ups WHERE email = 'early@example.com' ORDER BY status");
    expect(statuses).toEqual([{ status: "canceled" }, { status: "superseded" }]);
  });

  it("the same test card and plus-addresses are taken again and again [H10]", async () => {
    for (const email of ["tools@example.com", "tools+1@example.com", "tools+2@example.com", "to.ols@gmail.com"]) {
      expect((await withCard(email, CARDS.visa)).row).toMatchObject({ status: "trialing" });
    }
  });

  it("an erased e-mail has had its trial, also one that began before trials were claimed [H10]", async () => {
    await withCard("erased-1@example.com", CARDS.visa);
    const { row } = await withCard("erased-2@example.com", CARDS.visa);
    await rows(api, "DELETE FROM trial_claims WHERE sign_up_id = ?", row.id);
    for (const email of ["erased-1@example.com", "erased-2@example.com"]) {
      expect((await erase(email)).text).toBe('{"erased":1}');
      expect((await signUp(api, { email })).status).toBe(409);
    }
  });
});

describe("with ONE_TRIAL_PER_PERSON", () => {
  beforeAll(async () => {
    const backend = await startFaultyBackend({ ONE_TRIAL_PER_PERSON: "true" });
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  it.each([
    ["ada.lovelace@gmail.com", "adalovelace@gmail.com"],
    ["charles+a@gmail.com", "c.h.arles+b@googlemail.com"],
    ["grace@example.com", "grace+trial@example.com"],
    ["alan+x+y@example.com", "ALAN@example.com"],
  ])("%s and %s are one mailbox: one trial [H10]", async (first, second) => {
    expect((await withCard(first, newCard())).row).toMatchObject({ status: "trialing" });
    expect((await signUp(api, { email: second })).status).toBe(409);
  });

  it.each([
    ["a.b@example.com", "ab@example.com"],
    ["x-y@example.org", "xy@example.org"],
    ["+tag@example.com", "+other@example.com"],
    ["same@example.net", "same@example.edu"],
  ])("%s and %s are two mailboxes [H10]", async (first, second) => {
    expect((await withCard(first, newCard())).row).toMatchObject({ status: "trialing" });
    expect((await withCard(second, newCard())).row).toMatchObject({ status: "trialing" });
  });

  it("a used card is detached and starts no trial; the mail says so; another card does [H10]", async () => {
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
      expect(form).toContain("nothing was charged");
      expect(form).toContain("http://localhost:8787/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430");
      expect(form).toContain("sales@citewell.example");
    }

    for (const _ of [1, 2]) expect(await deliver(api, used.event.replace(/"evt_[^"]+"/, '"evt_again"'))).toBe(200);
    expect(await rowOf(api, "again@example.com")).toMatchObject({ status: "pending", used_cards: 1 });
    expect(await mails(stripe, "again@example.com")).toHaveLength(1);

    expect((await signUp(api, { email: "again@example.com" }, "again")).status).toBe(200);
    expect((await withCard("again@example.com", newCard())).row).toMatchObject({ status: "trialing" });
  });

  it("the same form sent again gets the secret of a new setup intent, with which another card starts the trial [H10]", async () => {
    const card = newCard();
    await withCard("holder@example.com", card);
    const { clientSecret } = await signUp(api, { email: "retry@example.com" }, "retry");
    await enterCard(stripe.url, clientSecret, card);
    // Stripe's event is not there yet: the retry finds the card.
    const again = await signUp(api, { email: "retry@example.com" }, "retry");
    expect(again.status).toBe(200);
    expect(again.clientSecret).not.toBe(clientSecret);
    const { row } = await withCard("retry@example.com", newCard(), again.clientSecret);
    expect(row).toMatchObject({ status: "trialing", used_cards: 1 });
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret))).toBe(200);
    expect(await rowOf(api, "retry@example.com")).toMatchObject({ status: "trialing", used_cards: 1 });
    expect((await stripeStateOf(stripe, "retry@example.com")).customers).toHaveLength(1);
  });

  it("of 100 sign-ups at once with one card exactly one gets a trial, and no other keeps the card [H10]", async () => {
    const card = newCard();
    const emails = Array.from({ length: 100 }, (_, index) => `hundred-${index}@example.com`);
    const answers: ApiAnswer[] = [];
    // Of one sender no more than 50 passwords wait to be hashed.
    for (let first = 0; first < emails.length; first += 25) {
      answers.push(...(await Promise.all(emails.slice(first, first + 25).map((email) => signUp(api, { email })))));
    }
    await Promise.all(answers.map(({ clientSecret }) => enterCard(stripe.url, clientSecret, card)));
    const events = await Promise.all(
      answers.map(({ clientSecret }) => setupEvent(stripe, "setup_intent.succeeded", clientSecret)),
    );
    await Promise.all(events.map((event) => deliver(api, event)));
    // What failed on a busy machine is sent again, as Stripe does.
    for (const event of events) expect(await deliver(api, event)).toBe(200);

    const states = await rows(
      api,
      "SELECT status, count(*) AS n FROM sign_ups WHERE email LIKE 'hundred-%' GROUP BY 1",
    );
    expect(states).toEqual([
      { status: "pending", n: 99 },
      { status: "trialing", n: 1 },
    ]);
    const atStripe = await Promise.all(emails.map((email) => stripeStateOf(stripe, email)));
    expect(atStripe.flatMap(({ subscriptions }) => subscriptions)).toHaveLength(1);
    const methods = atStripe.flatMap(({ setupIntents }) => setupIntents.map(({ payment_method }) => payment_method));
    const attached = await Promise.all(
      methods.map(async (id) => (await stripeAt(stripe).paymentMethods.retrieve(String(id))).customer !== null),
    );
    expect(attached.filter(Boolean)).toHaveLength(1);
    expect(attached).toHaveLength(100);
  });

  it("of two addresses of one mailbox at once, one gets a trial [H10]", async () => {
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

  it.each([
    ["Stripe cannot be asked about the card", () => proxy.breakAt("GET /v1/payment_methods/", "refuse")],
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

  it("five used cards end the sign-up, and its e-mail is free [H3] [H10]", async () => {
    const card = newCard();
    await withCard("collector@example.com", card);
    let secret = (await signUp(api, { email: "five@example.com" }, "five")).clientSecret;
    for (let used = 1; used <= 5; used += 1) {
      const { row } = await withCard("five@example.com", card, secret);
      expect(row).toMatchObject({ used_cards: used, status: used < 5 ? "pending" : "superseded" });
      secret = (await signUp(api, { email: "five@example.com" }, "five")).clientSecret;
    }
    expect(await mails(stripe, "five@example.com")).toHaveLength(1);
    expect((await withCard("five@example.com", newCard(), secret)).row).toMatchObject({ status: "trialing" });
  });

  it("erasing a person keeps two hashes that lead to nobody, and neither mailbox nor card gets a trial again [H10]", async () => {
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

  it("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("used_card_refused");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|2125550123|Analytical|_secret_|scrypt/);
  });
});
