import { expect, test } from "vitest";
import type { SignUp, TrialState } from "../../../../../functions/subscription-api/sign-ups/sign-up";
import { processedEventsIn } from "../../../../../functions/subscription-api/sign-ups/store/processed-events";
import { signUpLifecycleIn } from "../../../../../functions/subscription-api/sign-ups/store/sign-up-lifecycle";
import { databaseInMemory } from "../../../../support/api-in-process/database";

/* An event counts as processed in the transaction of its effect: one that lost a race has to come again. */

const CARD = { setupIntentId: "seti_1", customerId: "cus_1", usedCards: 0 };
const CLAIM = { email: "hash", emails: ["hash"], card: null };
const TRIAL: TrialState = { stripeSubscriptionId: "sub_1", status: "trialing", trialEnd: new Date("2026-12-01") };
const ENDED: TrialState = { ...TRIAL, status: "canceled" };

let made = 0;
const event = () => {
  made += 1;
  return { id: `evt_${made}`, type: "customer.subscription.updated" };
};

/** A sign-up whose card is set up. */
async function activated() {
  const { db, signUp } = databaseInMemory();
  const lifecycle = signUpLifecycleIn(db, () => {});
  const { id } = await signUp();
  const found = event();
  const active = await lifecycle.activate({ ...CARD, signUpId: id }, CLAIM, found);
  if (!active) throw new Error("There is no such sign-up");
  return { lifecycle, active, event: found, isProcessed: (one = found) => processedEventsIn(db).has(one) };
}

async function onTrial() {
  const { lifecycle, active, isProcessed } = await activated();
  const trial = await lifecycle.startTrial(active.id, TRIAL, { remindAt: null });
  if (!trial) throw new Error("There is no such sign-up");
  return { lifecycle, trial: trial satisfies SignUp, isProcessed };
}

test("a card's event is not processed while the trial that it starts is missing [G7]", async () => {
  const { lifecycle, active, event, isProcessed } = await activated();
  expect(active.status).toBe("active");
  expect(await isProcessed()).toBe(false);
  await lifecycle.startTrial(active.id, TRIAL, { event, remindAt: null });
  expect(await isProcessed()).toBe(true);
});

test("a card's event that comes when the trial has begun is processed [G7]", async () => {
  const { lifecycle, trial, isProcessed } = await onTrial();
  const late = event();
  await lifecycle.activate({ ...CARD, signUpId: trial.id }, CLAIM, late);
  expect(await isProcessed(late)).toBe(true);
});

test("a state that another event has overtaken is not written, and its event is not processed [G7]", async () => {
  const { lifecycle, trial, isProcessed } = await onTrial();
  const [first, second] = [event(), event()];
  expect(await lifecycle.applyStripeState(trial, ENDED, { event: first, remindAt: null })).toBe(true);
  expect(await lifecycle.applyStripeState(trial, TRIAL, { event: second, remindAt: new Date() })).toBe(false);
  expect([await isProcessed(first), await isProcessed(second)]).toEqual([true, false]);
});
