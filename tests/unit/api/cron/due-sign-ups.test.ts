import { expect, test, vi } from "vitest";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import { inParallel } from "../../../../functions/subscription-api/connections";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { CHECK_RANKS } from "../../../../functions/subscription-api/sign-up";
import { DAY, HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { cron } from "../sign-ups/situations";

stopClock();

const at = (time: number) => new Date(NOW + time).toISOString();

function dueSignUps() {
  const api = signUpsInProcess();
  return {
    ...api,
    due: (time = 0) => api.pending({}, `status = 'pending', check_at = '${at(time)}'`),
    advanceBatch: () => advanceDue(CHECK_RANKS.mayHaveTrial, new Date(NOW), api.services),
  };
}

test("two runs at the same moment take what was due at their start: six sign-ups, the earliest, and the seventh", async () => {
  const { due, advanceBatch, rows } = dueSignUps();
  const late = await due(-1 * MINUTE);
  for (let each = 0; each < 6; each += 1) await due(-2 * MINUTE);
  const later = await due(1);
  vi.setSystemTime(NOW + 1);
  expect(await advanceBatch()).toBe(6);
  expect(rows("SELECT id FROM sign_ups WHERE check_at < ?", at(0))).toEqual([{ id: late.id }]);
  expect((await Promise.all([advanceBatch(), advanceBatch()])).sort()).toEqual([0, 1]);
  expect(rows("SELECT id FROM sign_ups WHERE check_at <= ?", at(1))).toEqual([{ id: later.id }]);
});

test("a sign-up that fails is logged, is due again in ten minutes, and keeps no other from its turn", async () => {
  const { due, instead, enterCard, advanceBatch, find, logged } = dueSignUps();
  const { id, stripe_setup_intent_id } = await due();
  instead.set(`GET setup_intents/${stripe_setup_intent_id}`, () => Promise.reject(new TypeError("fetch failed")));
  const whole = await due();
  enterCard(whole);
  await advanceBatch();
  expect(await find(whole.id)).toMatchObject({ status: "trialing" });
  expect(await find(id)).toMatchObject({ status: "pending", check_at: at(10 * MINUTE) });
  const line = { level: "error", event: "sign_up_reconcile_failed", signUpId: id, was: "pending" };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test("a sign-up whose next check was changed in the meantime keeps that time", async () => {
  const { due, before, find, change, advanceBatch } = dueSignUps();
  const { id } = await due();
  before("GET setup_intents", () => change(id, `check_at = '${at(DAY)}'`));
  await advanceBatch();
  expect(await find(id)).toMatchObject({ check_at: at(DAY) });
});

test("a trial that Stripe calls trialing an hour after its end is asked for then and every ten minutes", async () => {
  const api = signUpsInProcess();
  await api.onTrial();
  const asked: number[] = [];
  for (const late of [-1, 0, 0, 10 * MINUTE]) {
    vi.setSystemTime(NOW + TRIAL_DAYS * DAY + HOUR + late);
    api.calls.length = 0;
    await cron(api);
    asked.push(api.calls.length);
  }
  expect(asked, "calls a moment before, then, once more, ten minutes later").toEqual([0, 1, 0, 1]);
});

test("a sign-up without a card is checked after ten minutes, whenever three times as old, and deleted after its own hours", async () => {
  const api = signUpsInProcess();
  const { id } = await api.pending({}, "sign_up_hours = 48");
  const minutes: number[] = [];
  for (let found = await api.services.signUps.find(id); found !== null; found = await api.services.signUps.find(id)) {
    const next = Date.parse(found.check_at ?? "");
    minutes.push((next - NOW) / MINUTE);
    vi.setSystemTime(next);
    await cron(api);
  }
  expect(minutes).toEqual([10, 30, 90, 270, 810, 2430, 48 * 60]);
  const line = { level: "info", event: "sign_up_reconciled", signUpId: id, was: "pending" };
  expect(api.logged.slice(-2)).toMatchObject([
    { ...line, outcome: "pending" },
    { ...line, outcome: "deleted" },
  ]);
});

test("work is begun on six items at a time, on the next as soon as one is done, and its error is thrown", async () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const begun: number[] = [];
  void inParallel(items, async (item) => {
    begun.push(item);
    await new Promise(() => {});
  });
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  const done: number[] = [];
  await inParallel(items, async (item) => void done.push(item));
  expect(done).toEqual(items);
  await expect(inParallel(items, () => Promise.reject(new RangeError("of the first")))).rejects.toThrow("of the first");
});
