import { expect, test, vi } from "vitest";
import { SIGN_UP_HOURS, TRIAL_DAYS } from "../../../../app/contract/trial";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../../functions/subscription-api/sign-up";
import { DAY, HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { type Begin, cron, SITUATIONS, type Situation, TRIGGERS } from "../sign-ups/situations";

/* The cron handler: when it checks a sign-up, and the result. */

stopClock();

const at = (time: number) => new Date(NOW + time).toISOString();

function dueSignUps() {
  const api = signUpsInProcess();
  return {
    ...api,
    due: (columns = "status = 'pending'", time = 0) => api.pending({}, `${columns}, check_at = '${at(time)}'`),
    advanceBatch: () => advanceDue(CHECK_RANKS.mayHaveTrial, new Date(), api.services),
  };
}

/** Stripe cannot be reached about this sign-up. */
function unreachable({ instead }: ReturnType<typeof dueSignUps>, { stripe_setup_intent_id }: SignUp): void {
  instead.set(`GET setup_intents/${stripe_setup_intent_id}`, () => Promise.reject(new TypeError("fetch failed")));
}

test("a batch has six sign-ups, the earliest first", async () => {
  const { due, advanceBatch, rows } = dueSignUps();
  const late = await due(undefined, -1 * MINUTE);
  for (let each = 0; each < 6; each += 1) await due(undefined, -2 * MINUTE);
  expect(await advanceBatch()).toBe(6);
  expect(rows("SELECT id FROM sign_ups WHERE check_at <= ?", at(0))).toEqual([{ id: late.id }]);
});

test("two runs at the same moment take different sign-ups", async () => {
  const { due, services } = dueSignUps();
  const ids = [(await due()).id, (await due()).id];
  const take = () => services.signUps.takeDue(CHECK_RANKS.mayHaveTrial, new Date(), 1);
  const taken = await Promise.all([take(), take()]);
  expect(taken.flatMap((some) => some.map(({ id }) => id)).sort()).toEqual(ids.sort());
});

test("a sign-up that became due after the run's start waits for the next run", async () => {
  const { due, services } = dueSignUps();
  await due(undefined, 1);
  vi.setSystemTime(NOW + MINUTE);
  expect(await advanceDue(CHECK_RANKS.mayHaveTrial, new Date(NOW), services)).toBe(0);
});

test("a sign-up that fails keeps no other from its turn", async () => {
  const api = dueSignUps();
  unreachable(api, await api.due());
  const whole = await api.due();
  api.enterCard(whole);
  await api.advanceBatch();
  expect(await api.find(whole.id)).toMatchObject({ status: "trialing" });
});

test("a sign-up that fails is due again in ten minutes", async () => {
  const api = dueSignUps();
  const broken = await api.due();
  unreachable(api, broken);
  await api.advanceBatch();
  expect(await api.find(broken.id)).toMatchObject({ status: "pending", check_at: at(10 * MINUTE) });
});

test("a sign-up that fails is logged with its state", async () => {
  const api = dueSignUps();
  const { id } = await api.due();
  unreachable(api, await api.find(id));
  await api.advanceBatch();
  const line = { level: "error", event: "sign_up_reconcile_failed", signUpId: id, was: "pending" };
  expect(api.logged).toContainEqual(expect.objectContaining(line));
});

test("a sign-up whose next check was changed in the meantime keeps that time", async () => {
  const { due, instead, find, change, advanceBatch } = dueSignUps();
  const { id, stripe_setup_intent_id } = await due();
  instead.set(`GET setup_intents/${stripe_setup_intent_id}`, async () => {
    await change(id, `check_at = '${at(DAY)}'`);
    return undefined;
  });
  await advanceBatch();
  expect(await find(id)).toMatchObject({ check_at: at(DAY) });
});

/** It has ended, and was cleaned up at Stripe. */
const ended: Begin = async (api) => {
  const signUp = await api.pending({}, `status = 'ended', end_reason = 'replaced', check_at = '${at(0)}'`);
  await cron(api);
  return signUp;
};

/** Its trial ended in a payment. Then it was canceled at Stripe, and the event was lost. */
const canceledAfterPayment: Begin = async (api) => {
  const signUp = await SITUATIONS["trialing, active"](api);
  api.set(NOW + TRIAL_DAYS * DAY + HOUR);
  await cron(api);
  Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { status: "canceled" });
  return signUp;
};

const situation = (name: Situation): Begin => SITUATIONS[name];

test.each<{ rule: string; begin: Begin; moment: number; before: string; afterwards: string }>([
  {
    rule: "a card whose webhook was lost is found after ten minutes",
    begin: situation("pending, a card"),
    moment: 10 * MINUTE,
    before: "pending",
    afterwards: "trialing",
  },
  {
    rule: "a sign-up without a card is deleted after 24 hours",
    begin: situation("pending, a card's form"),
    moment: 24 * HOUR,
    before: "pending",
    afterwards: "deleted",
  },
  {
    rule: "a sign-up without a customer at Stripe is deleted after 24 hours",
    begin: situation("pending, nothing"),
    moment: 24 * HOUR,
    before: "pending",
    afterwards: "deleted",
  },
  {
    rule: "a sign-up that has ended is deleted a day after its cleanup",
    begin: ended,
    moment: 24 * HOUR,
    before: "ended",
    afterwards: "deleted",
  },
  {
    rule: "a first payment whose event was lost is found an hour after the trial's end",
    begin: situation("trialing, active"),
    moment: TRIAL_DAYS * DAY + HOUR,
    before: "trialing",
    afterwards: "active",
  },
  {
    rule: "a canceled subscription whose event was lost is found a day after it was last read",
    begin: canceledAfterPayment,
    moment: (TRIAL_DAYS + 1) * DAY + HOUR,
    before: "active",
    afterwards: "canceled",
  },
  {
    rule: "a trial without a plan ends an hour after its time",
    begin: situation("trialing without a plan, nothing"),
    moment: TRIAL_DAYS * DAY + HOUR,
    before: "trialing",
    afterwards: "canceled",
  },
])("$rule, and not a moment earlier", async ({ begin, moment, before, afterwards }) => {
  const api = signUpsInProcess();
  const { id } = await begin(api);
  const status = () => api.rows("SELECT status FROM sign_ups WHERE id = ?", id)[0]?.status ?? "deleted";
  vi.setSystemTime(NOW + moment - 1);
  await cron(api);
  expect(status()).toBe(before);
  vi.setSystemTime(NOW + moment);
  await cron(api);
  expect(status()).toBe(afterwards);
});

test("whoever set up a card has two minutes to start the trial before the cron handler does", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  api.instead.set("GET subscriptions", () => Promise.reject(new TypeError("fetch failed")));
  await expect(TRIGGERS["card event"](api, signUp)).rejects.toThrow();
  expect(await api.find(signUp.id)).toMatchObject({ status: "card_set_up", check_at: at(2 * MINUTE) });
});

test.each([
  { when: "when the trial has been over for an hour", late: 0, asked: true },
  { when: "at once again", late: 0, again: true, asked: false },
  { when: "ten minutes later", late: 10 * MINUTE, again: true, asked: true },
])(
  "a trial that Stripe still calls trialing after its end is asked for $when: $asked",
  async ({ late, again, asked }) => {
    const api = signUpsInProcess();
    await api.onTrial();
    vi.setSystemTime(NOW + TRIAL_DAYS * DAY + HOUR);
    if (again) await cron(api);
    vi.setSystemTime(NOW + TRIAL_DAYS * DAY + HOUR + late);
    api.calls.length = 0;
    await cron(api);
    expect(api.calls).toHaveLength(asked ? 1 : 0);
  },
);

test("a sign-up without a card is checked after ten minutes, then each time it is three times as old, and at its end", async () => {
  const api = signUpsInProcess();
  const { id } = await api.pending();
  const minutes: number[] = [];
  for (let check = 0; check < 6; check += 1) {
    const next = Date.parse((await api.find(id)).check_at ?? "");
    minutes.push((next - NOW) / MINUTE);
    vi.setSystemTime(next);
    await cron(api);
  }
  expect(minutes).toEqual([10, 30, 90, 270, 810, SIGN_UP_HOURS * 60]);
});

test("a card that is set up while its form is canceled after a day still starts the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending for a day, a card's form"](api);
  api.instead.set(`POST setup_intents/${signUp.stripe_setup_intent_id}/cancel`, () => void api.enterCard(signUp));
  await TRIGGERS.cron(api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
});
