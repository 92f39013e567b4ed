import { type Answer, answer } from "../../../support/api-in-process/stripe-objects";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/** An object of any kind, and an empty list. */
export const ANYTHING = { id: "made", client_secret: "s", status: "trialing", cancel_at_period_end: false, data: [] };

/** Payments and prices with a Stripe that gives every call the same answer. */
export async function paymentsOf(everyAnswer: object = ANYTHING) {
  const { services, instead, sent, signUp } = signUpsInProcess();
  instead.set("", answer(200, everyAnswer));
  /** Stripe's next answer to a call. Other calls get the answer to everything. */
  const answersNext = (call: string, ...answers: Answer[]) => {
    const others = [...instead];
    instead.clear();
    instead.set(call, () => answers.shift());
    for (const [beginning, other] of others) instead.set(beginning, other);
  };
  const { payments, prices } = services;
  return { payments, prices, answersNext, sent, signUp: { ...(await signUp()), id: "1" } };
}
