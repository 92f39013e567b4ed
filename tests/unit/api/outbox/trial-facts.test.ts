import { expect, test } from "vitest";
import { trialOf } from "../../../../functions/subscription-api/outbox/emails/trial-facts";
import { type DropReason, type Message, reminderKey } from "../../../../functions/subscription-api/outbox/outbox";
import type { ChargePreview } from "../../../../functions/subscription-api/stripe/charge-preview";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { MESSAGE } from "./message";
import { iso } from "./outbox-of";

/* An email about a trial is true when it is sent, or it is dropped. */

stopClock();

const END = new Date(NOW + 2 * DAY);
const REMINDER: Message = {
  ...MESSAGE,
  key: reminderKey("1", END),
  kind: "trial-ending",
  trial_end: END.toISOString(),
};
const RUNNING: ChargePreview = {
  isTrialing: true,
  isInvoiced: false,
  trialEnd: END,
  plan: "LITE",
  card: { brand: "visa", last4: "4242" },
  trialEndOutcome: { next: "charge", first: null, later: null },
};

type Given = { message?: Partial<Message>; preview?: Partial<ChargePreview> };

/** @param preview what Stripe has of the subscription; null if it has none */
const factsOf = (message: Partial<Message> = {}, preview: Partial<ChargePreview> | null = {}) =>
  trialOf(
    { ...REMINDER, ...message },
    {
      previewCharge: async () => (preview === null ? undefined : { ...RUNNING, ...preview }),
      findCard: async () => RUNNING.card,
    },
  );

test("an email describes the trial as Stripe has it", async () => {
  expect(await factsOf()).toMatchObject({ end: END, plan: "LITE", card: RUNNING.card });
});

test("an email names the sign-up's plan if Stripe names none", async () => {
  expect(await factsOf({}, { plan: null })).toMatchObject({ plan: "STANDARD" });
});

const MOVED = new Date(END.getTime() + 1);

test.each<Given & { when: string; reason: DropReason }>([
  { when: "the address's owner has ended the sign-up", message: { end_reason: "not-me" }, reason: "sign-up-ended" },
  { when: "the trial is over here", message: { status: "canceled" }, reason: "trial-over" },
  { when: "the trial is over at Stripe", preview: { isTrialing: false }, reason: "trial-over" },
  { when: "its end has passed", preview: { trialEnd: new Date(NOW) }, reason: "trial-over" },
  { when: "it has no end", preview: { trialEnd: null }, reason: "trial-over" },
  { when: "Stripe has made an invoice", preview: { isInvoiced: true }, reason: "invoiced" },
  {
    when: "the end has moved",
    message: { trial_end: MOVED.toISOString() },
    preview: { trialEnd: MOVED },
    reason: "another-end",
  },
  { when: "the charge is unknown", preview: { trialEndOutcome: { next: "unknown" } }, reason: "unknown-charge" },
])("the reminder is dropped if $when", async ({ message, preview, reason }) => {
  expect(await factsOf(message, preview)).toBe(reason);
});

test("the reminder is dropped if Stripe has no subscription", async () => {
  expect(await factsOf({}, null)).toBe("no-subscription");
});

const WITHOUT_PLAN: Partial<Message> = { kind: "trial-started", stripe_subscription_id: null };

test("without a plan the start email is about the end that was promised, and no charge", async () => {
  const facts = { end: END, plan: null, card: RUNNING.card, trialEndOutcome: { next: "no-plan" } };
  expect(await factsOf(WITHOUT_PLAN)).toMatchObject(facts);
});

test("without a plan the start email is dropped when that end has passed", async () => {
  expect(await factsOf({ ...WITHOUT_PLAN, trial_end: iso(NOW) })).toBe("trial-over");
});

test("without a customer at Stripe the start email names no card", async () => {
  expect(await factsOf({ ...WITHOUT_PLAN, stripe_customer_id: null })).toMatchObject({ card: null });
});
