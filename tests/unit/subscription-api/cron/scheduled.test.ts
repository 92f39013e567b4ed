import { expect, test, vi } from "vitest";
import { runLimits } from "../../../../functions/subscription-api/limits/run-limits";
import { type MessageKind, newMessage } from "../../../../functions/subscription-api/outbox/outbox";
import { runScheduled } from "../../../../functions/subscription-api/scheduled";
import { stopClock } from "../../../support/api-in-process/clock";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { times } from "../../../support/visitors/visitor";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");

stopClock(NOW);

/** The cron handler, and what it does in which order. */
function cronHandler() {
  const signUps = signUpsInProcess();
  const { db, services, rows } = signUps;
  const { outbox } = services;
  const steps: string[] = [];
  const takeDue = services.lifecycle.takeDue.bind(services.lifecycle);
  vi.spyOn(services.lifecycle, "takeDue").mockImplementation((rank, limit) => {
    steps.push(`sign-ups of rank ${rank}`);
    return takeDue(rank, limit);
  });
  const take = outbox.take.bind(outbox);
  vi.spyOn(outbox, "take").mockImplementation((...given) => {
    steps.push("messages");
    return take(...given);
  });
  return {
    ...signUps,
    steps,
    run: (limits = runLimits()) => runScheduled(services, limits),
    ranAt: () => rows("SELECT ran_at FROM cron_runs")[0]?.ran_at,
    /** Messages that are due. */
    async due(kind: MessageKind, count: number) {
      const { id } = await signUps.unknownToStripe();
      for (let n = 0; n < count; n += 1)
        await newMessage(db, { key: `${kind} ${n}`, kind, signUpId: id }, "TRUE").run();
    },
  };
}

test("a cron run handles trials first and deletions last, sends messages after each, and is then recorded [W3]", async () => {
  const { run, steps, ranAt } = cronHandler();
  await run();
  expect(steps).toEqual([
    "sign-ups of rank 0",
    "messages",
    "sign-ups of rank 1",
    "messages",
    "sign-ups of rank 2",
    "messages",
  ]);
  expect(ranAt()).toBe(new Date(NOW).toISOString());
});

test("a cron run sends messages until none is due", async () => {
  const { run, due, rows } = cronHandler();
  await due("card-used", 20);
  await run();
  expect(rows("SELECT state, count(*) AS n FROM outbox GROUP BY state")).toEqual([{ state: "sent", n: 20 }]);
});

test("concurrent cron runs send each message once", async () => {
  const { run, due, rows } = cronHandler();
  await due("card-used", 20);
  await times(5, () => run());
  expect(rows("SELECT state, attempts, count(*) AS n FROM outbox GROUP BY 1, 2")).toEqual([
    { state: "sent", attempts: 1, n: 20 },
  ]);
});

test("a cron run deletes events and settled messages after 30 days", async () => {
  const { run, due, rows } = cronHandler();
  const days = (count: number) => new Date(NOW - count * 24 * 60 * 60_000);
  const past = { old: new Date(days(30).getTime() - 1).toISOString(), young: days(30).toISOString() };
  await due("card-used", 3);
  for (const [n, [id, time]] of Object.entries(past).entries()) {
    rows("INSERT INTO stripe_events VALUES (?, 'a type', ?)", id, time);
    rows("UPDATE outbox SET key = ?1, state = 'sent', settled_at = ?2 WHERE key = ?3", id, time, `card-used ${n}`);
  }
  await run();
  expect(rows("SELECT id FROM stripe_events")).toEqual([{ id: "young" }]);
  expect(rows("SELECT key FROM outbox ORDER BY key")).toEqual([{ key: "card-used 2" }, { key: "young" }]);
});

test("a cron run without calls left does nothing more and ends normally", async () => {
  const { run, due, steps, rows, ranAt } = cronHandler();
  await due("card-used", 1);
  const limits = runLimits();
  limits.count(800);
  await run(limits);
  expect(steps).toEqual([]);
  expect(rows("SELECT state FROM outbox")).toEqual([{ state: "due" }]);
  expect(ranAt()).toBe(new Date(NOW).toISOString());
});

test("a cron run reserves calls: the less urgent the work, the fewer calls it may use", async () => {
  const stepsWith = async (calls: number) => {
    const { run, steps } = cronHandler();
    const limits = runLimits();
    limits.count(calls);
    await run(limits);
    return steps.join(", ");
  };
  expect(await stepsWith(0.6 * 800)).toMatch(/^messages, sign-ups of rank 1, messages, sign-ups of rank 2, messages$/);
  expect(await stepsWith(0.75 * 800)).toMatch(/^sign-ups of rank 1, messages, sign-ups of rank 2, messages$/);
  expect(await stepsWith(0.9 * 800)).toMatch(/^sign-ups of rank 2, messages$/);
  expect(await stepsWith(0.95 * 800)).toMatch(/^messages$/);
});

test("a failing part of a cron run is logged and delays no other; the run fails and is not recorded [W3]", async () => {
  const { run, steps, services, ranAt, logged } = cronHandler();
  vi.spyOn(services.processedEvents, "deleteBefore").mockRejectedValue(new RangeError("nothing of this is logged"));
  await expect(run()).rejects.toMatchObject({ cause: expect.any(RangeError) });
  expect(steps.at(-1)).toBe("messages");
  expect(steps).toHaveLength(6);
  expect(logged).toMatchObject([{ level: "error", event: "scheduled_run_failed", error: "RangeError" }]);
  expect(JSON.stringify(logged)).not.toContain("nothing of this");
  expect(ranAt()).toBeNull();
});
