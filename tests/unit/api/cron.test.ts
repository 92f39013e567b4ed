import { expect, test, vi } from "vitest";
import { inParallel } from "../../../functions/subscription-api/limits/in-parallel";
import { runLimits } from "../../../functions/subscription-api/limits/run-limits";
import { runScheduled, type ScheduledServices } from "../../../functions/subscription-api/scheduled";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS } from "../../../functions/subscription-api/sign-ups/sign-up";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";

/* A run of the cron handler: its order, its limits, and the work left for the next run. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const at = (time: number) => new Date(NOW + time).toISOString();
stopClock(NOW);

test("trials that have to start come first, deletions last, messages are counted, and the run is recorded", async () => {
  const api = signUpsInProcess();
  const dueAt = (columns: string) => `${columns}, check_at = '${at(-MINUTE)}'`;
  const ended = await api.pending({ email: "a@example.com" }, dueAt("status = 'ended', end_reason = 'replaced'"));
  const pending = await api.pending({ email: "b@example.com" }, dueAt("status = 'pending'"));
  const setUp = await api.pending({ email: "c@example.com" }, dueAt("status = 'card_set_up'"));
  api.enterCard(setUp);
  const limits = runLimits();
  const count = vi.spyOn(limits, "count");
  await runScheduled(api.services, limits);
  // The trial's email and its account webhook; the reminder is not due.
  expect(count.mock.calls.flat()).toContain(2);
  const firsts = [setUp, pending, ended].map(({ stripe_setup_intent_id }) =>
    api.calls.indexOf(`GET setup_intents/${stripe_setup_intent_id}`),
  );
  expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
  expect(Math.min(...firsts)).toBe(0);
  expect(api.rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: at(0) }]);
});

test("a sign-up that fails is logged, keeps no other from its turn, and is due again in ten minutes", async () => {
  const api = signUpsInProcess();
  const due = `check_at = '${at(0)}'`;
  const [broken, whole] = [await api.pending({ email: "a@example.com" }, due), await api.pending({}, due)];
  api.enterCard(whole);
  api.instead.set(`GET setup_intents/${broken.stripe_setup_intent_id}`, () => Promise.reject(new TypeError("failed")));
  await advanceDue(CHECK_RANKS.mayHaveTrial, api.services, () => true);
  expect(await api.find(whole.id)).toMatchObject({ status: "trialing" });
  expect(await api.find(broken.id)).toMatchObject({ status: "pending", check_at: at(10 * MINUTE) });
  expect(api.logged).toContainEqual(
    expect.objectContaining({ on: "error", event: "sign_up_reconcile_failed", signUpId: broken.id, was: "pending" }),
  );
});

test("a sign-up that a run has no time for is due at once; one that changed meanwhile keeps its own time", async () => {
  const api = signUpsInProcess();
  const due = `check_at = '${at(-MINUTE)}'`;
  const signUps = [];
  for (let each = 0; each < 8; each += 1) signUps.push(await api.pending({ email: `${each}@example.com` }, due));
  const [first] = signUps;
  api.instead.set(`GET setup_intents/${first?.stripe_setup_intent_id}`, () => {
    api.rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", at(DAY), first?.id ?? "");
    return undefined;
  });
  let turns = 6;
  const mayContinue = () => turns-- > 0;
  await advanceDue(CHECK_RANKS.mayHaveTrial, api.services, mayContinue);
  const times = await Promise.all(signUps.map(async ({ id }) => (await api.find(id)).check_at));
  expect(times[0]).toBe(at(DAY));
  expect(times.filter((time) => time === at(0)).length).toBeGreaterThan(1);
});

test("two runs at once take different sign-ups, first those that were due first", async () => {
  const api = signUpsInProcess();
  const due = [at(-MINUTE), at(-2 * MINUTE)];
  for (const time of due) await api.pending({}, `check_at = '${time}'`);
  const [late, early] = api.rows("SELECT id FROM sign_ups ORDER BY check_at DESC").map(({ id }) => id);
  const { signUps } = api.services;
  const taken = await Promise.all([1, 2].map(() => signUps.takeDue(CHECK_RANKS.mayHaveTrial, 1)));
  expect(taken.map((some) => some.map(({ id }) => id))).toEqual([[early], [late]]);
});

test("a part that fails keeps no other part from its turn; the run fails and is not recorded", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending({}, `check_at = '${at(0)}'`);
  api.enterCard(signUp);
  const broken = { deleteSettled: () => Promise.reject(new Error("D1_ERROR")) };
  const services: ScheduledServices = { ...api.services, outbox: { ...api.services.outbox, ...broken } };
  await expect(runScheduled(services, runLimits())).rejects.toThrow("A part of the scheduled run failed");
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
  expect(api.rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: null }]);
  expect(api.logged).toContainEqual(expect.objectContaining({ on: "error", event: "scheduled_run_failed" }));
});

test("events and settled messages are kept for 30 days, while their sender may repeat them", async () => {
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  const settled = `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at, settled_at)
     VALUES (?1, ?2, 'card-used', 'sent', ?3, ?3, ?3)`;
  for (const time of [-30 * DAY - 1, -30 * DAY]) {
    api.rows("INSERT INTO stripe_events VALUES (?, 'a type', ?)", `evt_${time}`, at(time));
    api.rows(settled, `key_${time}`, id, at(time));
  }
  await runScheduled(api.services, runLimits());
  expect(api.rows("SELECT id FROM stripe_events")).toEqual([{ id: `evt_${-30 * DAY}` }]);
  expect(api.rows("SELECT key FROM outbox")).toEqual([{ key: `key_${-30 * DAY}` }]);
});

test("a run has 800 calls, of which each part may use a share, and four minutes", () => {
  const limits = runLimits();
  limits.count(400);
  expect([limits.hasLeft(0.5), limits.hasLeft(0.51)]).toEqual([false, true]);
  limits.count(399);
  expect(limits.hasLeft()).toBe(true);
  limits.count(1);
  expect(limits.hasLeft()).toBe(false);
  const another = runLimits();
  const hasLeftAfter = [4 * MINUTE - 1, 4 * MINUTE].map((time) => {
    vi.setSystemTime(NOW + time);
    return another.hasLeft();
  });
  expect(hasLeftAfter).toEqual([true, false]);
});

test("work is done six at a time, and the rest is given back when time runs out", async () => {
  let [running, most, done] = [0, 0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    done += 1;
  };
  const items = Array.from({ length: 30 }, (_, index) => index);
  const left = await inParallel(items, work, () => done < 10);
  expect([most, left]).toEqual([6, items.slice(done)]);
  expect(left.length).toBeGreaterThan(0);
});

test("the log lines of a run have one ID, and each run has its own", async () => {
  const api = apiInProcess();
  api.instead.set("", () => Promise.reject(new TypeError("fetch failed")));
  await api.signUp();
  for (const run of [1, 2]) {
    api.rows("UPDATE sign_ups SET check_at = ?, stripe_setup_intent_id = 'seti_1'", at(0));
    await api.runScheduled();
    const ids = api.logged.map(({ request_id }) => String(request_id));
    expect(new Set(ids).size).toBe(run);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
