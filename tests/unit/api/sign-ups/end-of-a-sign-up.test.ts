import { expect, test, vi } from "vitest";
import * as z from "zod";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import { confirmEmail } from "../../../../functions/subscription-api/sign-ups/confirm-email";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY, HOUR } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { look, signUpsInProcess } from "./sign-ups";
import { cron, SITUATIONS, type Situation, subscribe, TRIGGERS } from "./situations";

/* Every sign-up ends: the reasons and times. */

stopClock();

const accepted = z.object({ status_url: z.string(), expires_at: z.string() });

function forms() {
  const { post, ...api } = apiInProcess();
  const send = async () => accepted.parse(await (await post({}, { "idempotency-key": "the-key" })).json());
  return { ...api, send };
}

test("the answer to a form says when its sign-up ends without a card: 24 hours after it was first accepted", async () => {
  const { send, settled } = forms();
  expect((await send()).expires_at).toBe(new Date(NOW + DAY).toISOString());
  vi.setSystemTime(NOW + 20 * HOUR);
  expect((await send()).expires_at, "20 hours later, after a lost answer").toBe(new Date(NOW + DAY).toISOString());
  await settled();
});

test.each([
  { when: "an hour after its sign-up's end, less a second", age: 25 * HOUR - 1_000, status: 200 },
  { when: "an hour after its sign-up's end", age: 25 * HOUR, status: 404 },
])("a status_url is answered $status $when", async ({ age, status }) => {
  const { send, ask, settled } = forms();
  const { status_url } = await send();
  vi.setSystemTime(NOW + age);
  expect(await ask(status_url, {}, "site")).toHaveStatus(status);
  await settled();
});

type Api = ReturnType<typeof signUpsInProcess>;

const deleteCustomer = ({ model }: Api, { stripe_customer_id }: SignUp) =>
  model.request("DELETE", new URL(`https://stripe/v1/customers/${stripe_customer_id}`), "", undefined);
const detachCard = ({ model }: Api, { stripe_customer_id }: SignUp) => {
  for (const card of model.all("payment_method", stripe_customer_id)) card.customer = null;
};

test.each([
  { what: "a deleted customer", happens: deleteCustomer },
  { what: "a detached card", happens: detachCard },
])("$what before the trial begins ends the sign-up, frees its address and card, and is logged", async ({ happens }) => {
  const api = signUpsInProcess({ onePerPerson: true });
  const signUp = await SITUATIONS["pending, a card"](api);
  happens(api, signUp);
  await TRIGGERS["card event"](api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "card-removed" });
  expect(api.rows("SELECT hash FROM trial_claims")).toEqual([]);
  const line = { on: "warn", event: "sign_up_ended", signUpId: signUp.id, reason: "card-removed" };
  expect(api.logged).toContainEqual(expect.objectContaining(line));
  expect(api.model.all("subscription")).toEqual([]);
});

test("a customer deleted while the trial begins ends the sign-up", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  api.instead.set("POST subscriptions", () => void deleteCustomer(api, signUp));
  await TRIGGERS["card event"](api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "card-removed" });
});

test("a customer deleted before another card is asked for ends the sign-up, and the same form begins again", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  const signUp = await SITUATIONS["pending, a card that had a trial"](api);
  await TRIGGERS["card event"](api, signUp);
  deleteCustomer(api, signUp);
  expect(await TRIGGERS.POST(api, signUp)).toEqual({ status: "ended" });
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "card-removed" });
});

test("a card removed after Stripe began the trial does not end it", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["card_set_up, a subscription"](api);
  detachCard(api, signUp);
  await TRIGGERS.cron(api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
});

test("a trial without a plan whose customer was deleted ends when it is over", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["trialing without a plan, nothing"](api);
  deleteCustomer(api, signUp);
  vi.setSystemTime(NOW + TRIAL_DAYS * DAY);
  await TRIGGERS.cron(api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "canceled" });
});

/** A trial without a plan that is over, whose customer sales subscribe a day later. */
async function soldADayLater() {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["trialing without a plan, nothing"](api);
  api.set(NOW + TRIAL_DAYS * DAY + HOUR);
  await cron(api);
  expect(await api.find(signUp.id)).toMatchObject({ status: "canceled" });
  api.set(NOW + (TRIAL_DAYS + 1) * DAY);
  const sell = async () => {
    for (const card of api.model.all("payment_method")) card.customer = signUp.stripe_customer_id;
    await subscribe(api, signUp, "sales", "active");
  };
  return { api, signUp, sell };
}

test("a sign-up without a plan follows the subscription that sales create a day after its end", async () => {
  const { api, signUp, sell } = await soldADayLater();
  await sell();
  await TRIGGERS["subscription event"](api, signUp);
  const [{ id } = {}] = api.model.all("subscription");
  expect(await api.find(signUp.id)).toMatchObject({ status: "active", stripe_subscription_id: id });
});

test("a subscription that sales create for a sign-up that its address's owner ended is canceled", async () => {
  const { api, signUp, sell } = await soldADayLater();
  await TRIGGERS["not me"](api, signUp);
  await sell();
  await TRIGGERS["subscription event"](api, signUp);
  expect(api.model.all("subscription").map(({ status }) => status)).toEqual(["canceled"]);
});

test("a price that Stripe does not know ends no sign-up: it waits for the operator", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  await api.change(signUp.id, "stripe_price_id = 'price_unknown'");
  await expect(TRIGGERS["card event"](api, signUp)).rejects.toThrow("unexpected-answer");
  expect(await api.find(signUp.id)).toMatchObject({ status: "card_set_up" });
});

test("a day-old sign-up whose setup intent belongs to another customer is deleted, in one run and few calls", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 60; each += 1) {
    const signUp = await api.pending({ email: `${each}@example.com` }, "created_at = '2026-11-21T12:00:00.000Z'");
    api.enterCard(signUp);
    Object.assign(api.model.get(signUp.stripe_setup_intent_id) ?? {}, { customer: "another" });
  }
  api.calls.length = 0;
  api.rows("UPDATE sign_ups SET check_at = created_at");
  await api.runScheduled();
  expect(api.rows("SELECT id FROM sign_ups")).toEqual([]);
  // Its setup intent is read, its customer deleted.
  expect(api.calls.filter((call) => call !== "GET events")).toHaveLength(120);
});

test("a run asks for no sign-up twice, however long it takes", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["card_set_up, a card"](api);
  api.rows("UPDATE sign_ups SET check_at = created_at");
  api.instead.set(`GET setup_intents/${signUp.stripe_setup_intent_id}`, () => {
    vi.setSystemTime(Date.now() + HOUR);
    return refusal(500, "api_error", "api_error");
  });
  await cron(api);
  expect(api.logged.filter(({ event }) => event === "sign_up_reconcile_failed")).toHaveLength(1);
});

test.each<{ from: Situation; age: number; status: string }>([
  { from: "pending for a day, a card in processing", age: DAY - 1_000, status: "pending" },
  { from: "pending for a day, a card in processing", age: DAY, status: "deleted" },
  { from: "ended, a card in processing", age: DAY - 1_000, status: "ended" },
  { from: "ended, a card in processing", age: DAY, status: "deleted" },
])(
  "a sign-up that is $from is $status when Stripe still has not finished after $age ms",
  async ({ from, age, status }) => {
    const api = signUpsInProcess();
    const signUp = await SITUATIONS[from](api);
    vi.setSystemTime(NOW + age);
    await TRIGGERS.cron(api, signUp);
    expect(look(api, signUp).status).toBe(status);
  },
);

test("a second click on the email's link keeps the time of the first", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial();
  await api.services.signUps.change(id, confirmEmail);
  vi.setSystemTime(NOW + HOUR);
  await api.services.signUps.change(id, confirmEmail);
  expect(await api.find(id)).toMatchObject({ email_verified_at: new Date(NOW).toISOString() });
});
