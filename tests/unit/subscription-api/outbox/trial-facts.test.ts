import { describe, expect, test } from "vitest";
import { trialOf } from "../../../../functions/subscription-api/outbox/emails/trial-facts";
import { type Message, reminderKey } from "../../../../functions/subscription-api/outbox/outbox";
import type { Billing } from "../../../../functions/subscription-api/stripe/billing";
import { MESSAGE } from "../../../support/api-in-process/message";

const end = new Date(Date.now() + 2 * 24 * 60 * 60_000);

/** A reminder that is due, as the row of its sign-up still has it. */
const reminder: Message = {
  ...MESSAGE,
  key: reminderKey(MESSAGE.sign_up_id, end),
  kind: "trial-ending",
  package_id: null,
  trial_end: end.toISOString(),
};

const running: Billing = {
  isTrialing: true,
  isInvoiced: false,
  trialEnd: end,
  trialEndOutcome: { next: "charge", first: null, later: null },
  card: { brand: "visa", last4: "4242" },
  plan: "LITE",
};

const facts = (billing: Billing | undefined, message = reminder) =>
  trialOf(message, { findBilling: async () => billing, findCard: async () => null });

describe("an email about a trial", () => {
  test("describes the trial as Stripe has it [T3]", async () => {
    expect(await facts(running)).toEqual({
      end,
      trialEndOutcome: running.trialEndOutcome,
      card: running.card,
      plan: "LITE",
    });
  });

  test("names the sign-up's plan if Stripe names none [T3]", async () => {
    expect(await facts({ ...running, plan: null })).toMatchObject({ plan: "STANDARD" });
  });

  test.each([
    ["Stripe has ended the trial, whose end is still ahead", { ...running, isTrialing: false }, "trial-over"],
    ["the end has passed, and Stripe has not noticed", { ...running, trialEnd: new Date(0) }, "trial-over"],
    ["the trial has no end", { ...running, trialEnd: null }, "trial-over"],
    ["an invoice was made", { ...running, isInvoiced: true }, "invoiced"],
    ["Stripe does not know the subscription", undefined, "no-subscription"],
    ["the trial ends another day", { ...running, trialEnd: new Date(end.getTime() + 1_000) }, "another-end"],
    [
      "it cannot be told what will be charged",
      { ...running, trialEndOutcome: { next: "unknown" } as const },
      "unknown-charge",
    ],
  ])("is not sent if %s [T4]", async (_, billing, reason) => {
    expect(await facts(billing)).toBe(reason);
  });

  test.each<[string, Partial<Message>, object | string]>([
    ["is not sent once it was ended for its owner", { end_reason: "not-me" }, "sign-up-ended"],
    ["is not sent once the trial is over", { status: "canceled" }, "trial-over"],
    [
      "without a plan is about the end that was promised",
      {},
      { end, trialEndOutcome: { next: "no-plan" }, card: running.card, plan: null },
    ],
    ["without a plan or customer has no card", { stripe_customer_id: null }, { card: null }],
    ["without a plan is not sent when its end has passed", { trial_end: new Date(0).toISOString() }, "trial-over"],
    ["without a plan or end is not sent", { trial_end: null }, "trial-over"],
  ])("follows Stripe: %s [T4]", async (_, change, expected) => {
    const message = { ...reminder, kind: "trial-started" as const, stripe_subscription_id: null, ...change };
    const found = await trialOf(message, { findBilling: async () => running, findCard: async () => running.card });
    if (typeof expected === "string") expect(found).toBe(expected);
    else expect(found).toMatchObject(expected);
  });
});
