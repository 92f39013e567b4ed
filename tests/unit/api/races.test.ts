import { expect, test } from "vitest";
import { signUpStatus } from "../../../functions/subscription-api/sign-ups/sign-up-status";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { refusal } from "../../support/api-in-process/stripe-model";

/** Something that a test waits for. */
function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}

test("a failed read does not end the attempt of a slow creation: one sign-up, one subscription", async () => {
  const { services, pending, enterCard, instead, model, sent, find } = signUpsInProcess();
  const signUp = await pending();
  enterCard(signUp);
  const [creation, arrival] = [gate(), gate()];
  instead.set("POST subscriptions", async () => {
    creation.open();
    await arrival.isOpen;
    return undefined;
  });
  const card = {
    signUpId: signUp.id,
    setupIntentId: signUp.stripe_setup_intent_id,
    customerId: signUp.stripe_customer_id,
  };
  const received = { status: "card-set-up" as const, event: { id: "evt_1", type: "setup_intent.succeeded" }, card };
  const event = handleStripeEvent(received, services);
  await creation.isOpen;
  instead.set("GET setup_intents", refusal(500, "api_error", "api_error"));
  await expect(signUpStatus(signUp.id, services)).rejects.toThrow();
  instead.clear();
  expect(await signUpStatus(signUp.id, services)).toMatchObject({ status: "trial" });
  arrival.open();
  await event;

  expect(model.all("subscription").map(({ id }) => id)).toEqual([(await find(signUp.id)).stripe_subscription_id]);
  const keys = sent.filter(({ call }) => call === "POST subscriptions").map(({ key }) => key);
  expect(new Set(keys).size).toBe(1);
});
