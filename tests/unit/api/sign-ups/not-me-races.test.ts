import { expect, test } from "vitest";
import type { StripeObject } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { SITUATIONS, TRIGGERS } from "./situations";

/* "This wasn't me" while something else happens at Stripe, just before one of its calls. */

stopClock();

const CALLS = ["GET subscriptions", "DELETE subscriptions"];

/** Ends a trial as its address's owner does. */
async function endDuring(call: string, happens: (api: ReturnType<typeof signUpsInProcess>, one: StripeObject) => void) {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  api.instead.set(call, () => {
    api.instead.clear();
    for (const subscription of api.model.all("subscription")) happens(api, subscription);
    return undefined;
  });
  await TRIGGERS["not me"](api, signUp);
  expect(api.instead.size, `calls that begin with ${call} are left`).toBe(0);
  return {
    reports: api.messages().filter(({ kind }) => kind === "not-me-reported").length,
    mayHaveTrialAgain: !(await api.services.signUps.hasHadTrial(api.services.trialHashes.ofEmail(signUp.email))),
    subscriptions: api.model.all("subscription").map(({ status }) => status),
  };
}

test.each(CALLS)(
  "support hears of a first charge just before %s, and the address gets no other trial",
  async (call) => {
    const ended = await endDuring(call, ({ model }, subscription) => model.become(subscription, "active"));
    expect(ended).toEqual({ reports: 1, mayHaveTrialAgain: false, subscriptions: ["canceled"] });
  },
);

test.each(CALLS)("an address whose trial a customer cancels just before %s gets no other trial", async (call) => {
  const ended = await endDuring(call, ({ model }, subscription) => model.become(subscription, "canceled"));
  expect(ended).toEqual({ reports: 0, mayHaveTrialAgain: false, subscriptions: ["canceled"] });
});

test.each(["GET subscriptions", "GET setup_intents", "POST payment_methods"])(
  "a customer without a plan whom sales charge just before %s has no subscription, and support hears of it",
  async (call) => {
    const api = signUpsInProcess();
    const signUp = await SITUATIONS["trialing without a plan, nothing"](api);
    const { model, instead, messages, rows } = api;
    const sale = `customer=${signUp.stripe_customer_id}&items[0][price]=price_standard&trial_period_days=0`;
    instead.set(call, () => {
      instead.clear();
      model.request("POST", new URL("https://stripe/v1/subscriptions"), sale, undefined);
      for (const subscription of model.all("subscription")) model.become(subscription, "active");
      return undefined;
    });
    await TRIGGERS["not me"](api, signUp);
    await TRIGGERS["subscription event"](api, signUp);
    const [subscription, ...others] = model.all("subscription");
    expect([subscription?.status, others]).toEqual(["canceled", []]);
    expect(rows("SELECT stripe_subscription_id FROM sign_ups")).toEqual([{ stripe_subscription_id: subscription?.id }]);
    expect(messages().filter(({ kind }) => kind === "not-me-reported")).toHaveLength(1);
  },
);
