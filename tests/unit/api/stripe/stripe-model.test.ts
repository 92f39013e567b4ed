import { expect, test } from "vitest";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

test("the model of Stripe stops a loop, and says which sign-up asked for what", async () => {
  const { model, pending } = signUpsInProcess();
  const signUp = await pending();
  const path = `/v1/setup_intents/${signUp.stripe_setup_intent_id}`;
  const ask = () => model.request("GET", new URL(path, "https://stripe"), "", undefined);
  const loop = () => {
    while (true) ask();
  };
  expect(loop).toThrow(`for the sign-up ${signUp.id}, now GET ${path}`);
});
