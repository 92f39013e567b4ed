import { expect, test } from "vitest";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { createSignUp } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { signUpStatus } from "../../../functions/subscription-api/sign-ups/sign-up-status";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { cardRefused, customerMade } from "../../../functions/subscription-api/sign-ups/transitions";
import { FORWARD } from "../../release/simulation/invariants";
import { stopClock } from "../../support/api-in-process/clock";
import { look, signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { refusal } from "../../support/api-in-process/stripe-model";
import { cheapPasswords } from "../../support/cheap-passwords";
import { validRequest } from "../../support/visitors/visitor";

/* One question comes between any two steps of another: there is one trial, and each message once. */

stopClock(Date.parse("2026-11-22T12:00:00.000Z"));

type Api = ReturnType<typeof signUpsInProcess>;

const cardEvent = ({ services }: Api, { id, stripe_setup_intent_id, stripe_customer_id }: SignUp) => {
  const card = { signUpId: id, setupIntentId: stripe_setup_intent_id ?? "", customerId: stripe_customer_id ?? "" };
  const event = { id: "evt_1", type: "setup_intent.succeeded" };
  return handleStripeEvent({ status: "card-set-up", event, card }, services);
};

const QUESTIONS: Record<string, (api: Api, signUp: SignUp) => Promise<unknown>> = {
  status: ({ services }, { id }) => signUpStatus(id, services),
  POST: ({ services }) => createSignUp(validRequest, "the-key", services),
  "card event": cardEvent,
  cron: async ({ services, rows }) => {
    rows("UPDATE sign_ups SET check_at = ? WHERE check_at IS NOT NULL", new Date().toISOString());
    for (const rank of Object.values(CHECK_RANKS)) await advanceDue(rank, services, () => true);
  },
  "not me": async ({ services }, { id }) => {
    const signUp = await services.signUps.find(id);
    return signUp && advance(signUp, services, "not-me");
  },
};

const TRIAL =
  "trialing, claimed, trial of 5 days, check in 7260 min | account-created trial-ending trial-started | card, subscription trialing";
/** The report came before the trial, or after it. */
const REPORTED = [
  "ended, not-me, check in 1440 min |  | no customer",
  "canceled, not-me, card claimed, trial of 5 days | account-closed account-created trial-ending trial-started | subscription canceled",
];

/** Asks both, the other one between this step and the next. Returns the number of steps. */
async function interleaved(one: string, other: string, between: number) {
  let [steps, isCounting] = [0, false];
  const step = async () => {
    if (!isCounting) return;
    steps += 1;
    if (steps !== between) return;
    isCounting = false;
    await QUESTIONS[other]?.(api, signUp).catch(() => undefined);
    isCounting = true;
  };
  const api: Api = signUpsInProcess({
    onePerPerson: true,
    io: async (_, effect) => {
      await step();
      return effect();
    },
  });
  const hash = await cheapPasswords.hash(validRequest.password);
  const signUp = await api.pending({}, `idempotency_key = 'the-key', password_hash = '${hash}'`);
  api.enterCard(signUp);
  api.instead.set("", async () => {
    await step();
    return undefined;
  });
  isCounting = true;
  await QUESTIONS[one]?.(api, signUp).catch(() => undefined);
  isCounting = false;
  // Whoever was refused asks again.
  for (const again of [one, other]) await QUESTIONS[again]?.(api, signUp);
  const keys = api.sent.filter(({ call }) => call === "POST subscriptions").map(({ key }) => key);
  const backward = api
    .rows("SELECT was, became FROM changes")
    .filter(({ was, became }) => !FORWARD[String(was)]?.includes(String(became)));
  return { steps, end: look(api, signUp), keys: new Set(keys).size, backward };
}

const pairs = Object.keys(QUESTIONS).flatMap((one) => Object.keys(QUESTIONS).map((other) => [one, other] as const));

test.each(pairs)("between any two steps of %s comes %s", async (one, other) => {
  const ends = [one, other].includes("not me") ? REPORTED : [TRIAL];
  const { steps } = await interleaved(one, other, Infinity);
  for (let between = 1; between <= steps; between += 1) {
    const { end, keys, backward } = await interleaved(one, other, between);
    expect(backward).toEqual([]);
    expect(ends, `before step ${between}`).toContain(end);
    expect(keys).toBeLessThan(2);
  }
});

test("a sign-up that has changed since it was read is neither written nor deleted, and nothing is told of it", async () => {
  const { services, pending, find, messages } = signUpsInProcess();
  const { signUps } = services;
  const read = await pending();
  const written = await signUps.write(read, customerMade("cus_2"));
  expect(written).toMatchObject({ stripe_customer_id: "cus_2", version: read.version + 1 });
  expect(await signUps.write(read, cardRefused(read, "a hash", true))).toBeNull();
  await signUps.delete(read);
  expect([await find(read.id), messages()]).toEqual([written, []]);
  expect(await signUps.change(read.id, () => undefined)).toEqual(written);
});

test("a failed read does not end the attempt of a slow creation: one sign-up, one subscription", async () => {
  const { services, pending, enterCard, instead, model, sent, find, ...api } = signUpsInProcess();
  const signUp = await pending();
  enterCard(signUp);
  const [creation, arrival] = [gate(), gate()];
  instead.set("POST subscriptions", async () => {
    creation.open();
    await arrival.isOpen;
    return undefined;
  });
  const event = cardEvent({ services, pending, enterCard, instead, model, sent, find, ...api }, signUp);
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

/** Something that a test waits for. */
function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}
