import { expect, test } from "vitest";
import type { StripeObject } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { TRIGGERS } from "./situations";

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
