import type Stripe from "stripe";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { anotherCard, inPortal } from "../../support/stripe/portal";
import { CARDS, deliver, rowOf } from "../../support/stripe/set-up-card";
import { accountWebhooks, enterCard, mails, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import {
  openAddress,
  type RunningWorker,
  runScheduled,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
const PAST = "2026-01-01T00:00:00.000Z";
const EMAIL = "life@example.com";
/** Can be set up, but declines each charge. */
const EMPTY_CARD = "4000000000000341";

const iso = (seconds: number | null | undefined) => new Date((seconds ?? 0) * 1000).toISOString();
const dayOf = (seconds: number | null) =>
  new Date((seconds ?? 0) * 1000).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

type Events = { latest: Stripe.Event[]; held: Stripe.Event[]; all: Stripe.Event[]; isOver: boolean };
/** Groups of events that reach the API after a step; those of a group at the same moment. */
type Delivery = (events: Events) => Stripe.Event[][];

const inTurn = (events: Stripe.Event[]) => events.map((event) => [event]);
const backwards = (events: Stripe.Event[]) => inTurn(events.toReversed());

const DELIVERIES: [how: string, delivery: Delivery | "Stripe's own", followsEachStep: boolean][] = [
  ["as Stripe sends them", "Stripe's own", true],
  ["each twice at the same moment", ({ latest }) => latest.map((event) => [event, event]), true],
  ["in the wrong order", ({ latest }) => backwards(latest), true],
  ["a step late", ({ latest, held, isOver }) => inTurn(isOver ? [...held, ...latest] : held), false],
  [
    "after the end, twice and in the wrong order",
    ({ all, isOver }) => (isOver ? [...backwards(all), ...backwards(all)] : []),
    false,
  ],
];

const running: RunningWorker[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.dispose()));
});

test.each(DELIVERIES)(
  "the customer and the console are told the state at Stripe through a subscription's life, with events delivered %s",
  async (_, delivery, followsEachStep) => {
    const address = await openAddress();
    const events = delivery === "Stripe's own" ? {} : { vars: { WEBHOOK_EVENTS: "none" } };
    const simulator = await startStripeSimulator({
      webhookUrl: `${address.url}/webhooks/stripe`,
      ...events,
    });
    running.push(simulator);
    const api = await startSubscriptionApi({ simulatorUrl: simulator.url, address });
    running.push(api);
    const stripe = stripeAt(simulator);

    const delivered = new Set<string>();
    let held: Stripe.Event[] = [];
    async function deliverEvents(isOver = false): Promise<void> {
      if (delivery === "Stripe's own") return;
      const all = (await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })).reverse();
      const latest = all.filter(({ id }) => !delivered.has(id) && !held.some((one) => one.id === id));
      for (const group of delivery({ latest, held, all, isOver })) {
        const answers = group.map((event) => deliver(api, JSON.stringify(event)));
        expect(new Set(await Promise.all(answers)), "each is taken").toEqual(new Set([200]));
        for (const { id } of group) delivered.add(id);
      }
      held = latest.filter(({ id }) => !delivered.has(id));
    }

    /** The subscription, its latest invoice and the default card, read from Stripe. */
    async function atStripe() {
      const [customer] = (await stripe.customers.list({ email: EMAIL })).data;
      const method = customer?.invoice_settings.default_payment_method;
      const { last4 } = (await stripe.paymentMethods.retrieve(String(method))).card ?? {};
      const found = await stripe.subscriptions.list({
        customer: customer?.id,
        status: "all",
        expand: ["data.latest_invoice"],
      });
      const [subscription, ...others] = found.data;
      const invoice = subscription?.latest_invoice;
      if (!customer || !subscription || typeof invoice !== "object" || !invoice) throw new Error("No subscription");
      expect(others).toEqual([]);
      const end = subscription.items.data[0]?.current_period_end ?? 0;
      return { customer, subscription, invoice, last4, end };
    }

    let ahead = 0;
    async function advanceTo(time: number): Promise<void> {
      const seconds = Math.ceil(time - Date.now() / 1000 - ahead);
      ahead += seconds;
      const body = new URLSearchParams({ seconds: String(seconds) });
      await fetch(`${simulator.url}/dashboard`, { method: "POST", body });
    }
    const subjects = async () => (await mails(simulator, EMAIL)).map(({ subject }) => subject).reverse();

    /** Compares the API's row and messages with Stripe's current state. */
    async function expectSame(
      expected: { status: string; invoice: [string, number, number]; mails: string[] },
      isOver = false,
    ) {
      await deliverEvents(isOver);
      const { subscription, customer, invoice } = await atStripe();
      expect(subscription.status).toBe(expected.status);
      expect([invoice.status, invoice.amount_due, invoice.attempt_count]).toEqual(expected.invoice);
      const row = {
        status: subscription.status,
        trial_end: iso(subscription.trial_end),
        stripe_subscription_id: subscription.id,
        stripe_customer_id: customer.id,
        end_reason: null,
      };
      const follows = followsEachStep || isOver;
      await expect.poll(() => rowOf(api, EMAIL)).toMatchObject(follows ? row : { ...row, status: expect.any(String) });
      await expect.poll(subjects).toEqual(expected.mails);
      // The API announces the account once; the console learns later changes from Stripe.
      await expect
        .poll(() => accountWebhooks(simulator, EMAIL))
        .toMatchObject([
          { type: "account.created", data: { ...row, status: "trialing", package: { name: "STANDARD" } } },
        ]);
      return { subscription, invoice };
    }

    // The trial starts. Without an event, the API learns of the card when the site asks for the status.
    const { text, clientSecret } = await signUp(api, { email: EMAIL });
    await enterCard(simulator.url, clientSecret);
    const { status_url } = z.object({ status_url: z.url() }).parse(JSON.parse(text));
    const trial = async () => JSON.parse(await (await fetch(status_url)).text());
    await expect.poll(trial).toMatchObject({ status: "trial" });
    const started = "Your Citewell trial has started";
    const { subscription } = await expectSame({ status: "trialing", invoice: ["paid", 0, 0], mails: [started] });
    const { trial_end: trialEnd } = subscription;
    if (trialEnd === null) throw new Error("No trial");

    // The reminder, two days before the end, is due by the real clock.
    await advanceTo(trialEnd - 2 * DAY);
    const due = "SELECT next_attempt_at FROM outbox WHERE kind = 'trial-ending' AND state = 'due'";
    expect(await rows(api, due)).toEqual([{ next_attempt_at: iso(trialEnd - 2 * DAY) }]);
    await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE state = 'due'", PAST);
    await runScheduled(api);
    const written = [started, `Your Citewell trial ends on ${dayOf(trialEnd)} (UTC)`];
    await expectSame({ status: "trialing", invoice: ["paid", 0, 0], mails: written });

    // The first charge, an hour after the trial, matches the day, amount and card in both emails.
    await advanceTo(trialEnd + HOUR);
    const first = await expectSame({ status: "active", invoice: ["paid", 50_000, 1], mails: written });
    const { last4, end } = await atStripe();
    const dollars = (first.invoice.amount_paid / 100).toFixed(2);
    for (const mail of await mails(simulator, EMAIL)) {
      expect(mail.text).toContain(`First payment: $${dollars} USD, on or after ${dayOf(first.invoice.created)} (UTC)`);
      expect(mail.text).toContain(`Card: Visa ending in ${last4}`);
    }

    expect(await inPortal(simulator, EMAIL)).toContain(`The next payment is on ${dayOf(end)}.`);

    // The renewal fails on a card with insufficient funds.
    await inPortal(simulator, EMAIL, anotherCard(EMPTY_CARD));
    await advanceTo(end + HOUR);
    const renewal = await expectSame({ status: "past_due", invoice: ["open", 50_000, 1], mails: written });

    // The next attempt charges a new card.
    const owing = await inPortal(simulator, EMAIL, anotherCard(CARDS.mastercard));
    expect(owing).toContain("The last payment failed and will be tried again.");
    await expectSame({ status: "past_due", invoice: ["open", 50_000, 1], mails: written });
    await advanceTo(renewal.invoice.next_payment_attempt ?? 0);
    const paid = await expectSame({ status: "active", invoice: ["paid", 50_000, 2], mails: written });
    expect(paid.invoice.id).toBe(renewal.invoice.id);

    // Canceled in the portal, it runs to the end of the period.
    await inPortal(simulator, EMAIL, { intent: "cancel", subscription: subscription.id });
    const canceled = await expectSame({ status: "active", invoice: ["paid", 50_000, 2], mails: written });
    const { end: lastDay } = await atStripe();
    expect(canceled.subscription).toMatchObject({ cancel_at: lastDay, cancel_at_period_end: false });

    // Nothing happens after the end.
    await advanceTo(lastDay + DAY);
    const ended = await expectSame({ status: "canceled", invoice: ["paid", 50_000, 2], mails: written }, true);
    expect(ended.subscription.ended_at).toBe(lastDay);
    await runScheduled(api);
    await expectSame({ status: "canceled", invoice: ["paid", 50_000, 2], mails: written }, true);
    const charged = await stripe.invoices.list({ subscription: subscription.id });
    expect(charged.data.map(({ amount_paid }) => amount_paid)).toEqual([50_000, 50_000, 0]);
    expect(await rows(api, "SELECT kind, state FROM outbox ORDER BY kind")).toEqual([
      { kind: "account-created", state: "sent" },
      { kind: "trial-ending", state: "sent" },
      { kind: "trial-started", state: "sent" },
    ]);
    expect((await signUp(api, { email: EMAIL })).status, "one trial for each address").toBe(409);
  },
);
