import { expect, test, vi } from "vitest";
import { runScheduled, type ScheduledServices } from "../../../../functions/subscription-api/cron/run";
import { servicesFor } from "../../../../functions/subscription-api/services";
import { DAY, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { configurationOf, signUpsInProcess } from "../sign-ups/sign-ups";

/* A run of the cron handler: its order, its limits and its failures. */

stopClock();

const DUE = new Date(NOW - 1).toISOString();
const TWO_DAYS_AGO = new Date(NOW - 2 * DAY).toISOString();
const WITHOUT_LIMITS = { hasLeft: () => true, count: () => {} };
/** Lets a run begin so many batches. */
const onlyBatches = (batches: number) => {
  let left = batches;
  return { hasLeft: () => left-- > 0, count: () => {} };
};

/** An API with work that is due. Each sign-up has its own email address and card. */
function withDueWork() {
  let statements = 0;
  const api = signUpsInProcess({
    io: async (label, effect) => {
      statements += label.startsWith("batch: ") ? label.split("; ").length : 1;
      return effect();
    },
  });
  let made = 0;
  const email = () => `${++made}@example.com`;
  return {
    ...api,
    statements: () => statements,
    /** A card is set up, but the trial has not been started. */
    async trialToStart() {
      const signUp = await api.pending({ email: email() }, `status = 'card_set_up', check_at = '${DUE}'`);
      api.enterCard(signUp, `card ${made}`);
      return signUp;
    },
    /** Its card may have been set up without a webhook. */
    waiting: () => api.unknownToStripe({ email: email() }, `check_at = '${DUE}'`),
    /** It has had no card for a day. */
    abandoned: () => api.unknownToStripe({ email: email() }, `check_at = '${DUE}', created_at = '${TWO_DAYS_AGO}'`),
    /** An email is due about a sign-up that is not. */
    async email() {
      const { id } = await api.unknownToStripe({ email: email() });
      const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
      api.rows(`${message} VALUES (?1, ?1, 'card-used', ?2, ?2)`, id, DUE);
    },
    /** How much of the work is left. */
    left() {
      const [found] = api.rows(
        `SELECT count(*) FILTER (WHERE status = 'card_set_up') AS trialsToStart,
                count(*) FILTER (WHERE check_rank = 1 AND check_at = '${DUE}') AS waiting,
                count(*) FILTER (WHERE created_at = '${TWO_DAYS_AGO}') AS abandoned,
                (SELECT count(*) FROM outbox WHERE kind = 'card-used' AND state = 'due') AS emails
           FROM sign_ups`,
      );
      return found;
    },
  };
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let each = 0; each < times; each += 1) await work();
}

test("a run starts trials first, looks at waiting sign-ups next, and deletes abandoned ones last", async () => {
  const { trialToStart, waiting, abandoned, services, left } = withDueWork();
  await repeat(6, abandoned);
  await repeat(6, waiting);
  await repeat(6, trialToStart);
  await runScheduled(services, onlyBatches(1));
  expect(left()).toMatchObject({ trialsToStart: 0, waiting: 6, abandoned: 6 });
  await runScheduled(services, onlyBatches(2));
  expect(left()).toMatchObject({ waiting: 0, abandoned: 6 });
  await runScheduled(services, onlyBatches(3));
  expect(left()).toMatchObject({ abandoned: 0 });
});

test("with more due than a run can do, the first run only works on trials, and the second starts the last of them", async () => {
  const { trialToStart, waiting, abandoned, email, runScheduled: run, left } = withDueWork();
  await repeat(80, trialToStart);
  for (const work of [waiting, abandoned, email]) await repeat(10, work);
  await run();
  expect(left()).toMatchObject({ trialsToStart: expect.toSatisfy((trials) => trials > 0), waiting: 10, abandoned: 10 });
  vi.setSystemTime(NOW + MINUTE);
  await run();
  expect(left()).toMatchObject({ trialsToStart: 0 });
});

test("six messages are sent for six trials that start", async () => {
  const { trialToStart, email, services, left } = withDueWork();
  await repeat(18, email);
  await repeat(18, trialToStart);
  await runScheduled(services, onlyBatches(1));
  // Two of each kind: the trials' own emails and account webhooks are due as well.
  expect(left()).toMatchObject({ trialsToStart: 12, emails: 16 });
});

test("messages that are left are sent after the sign-ups", async () => {
  const { email, services, left } = withDueWork();
  await repeat(40, email);
  await runScheduled(services, WITHOUT_LIMITS);
  expect(left()).toMatchObject({ emails: 0 });
});

test("a run that has reached its limits begins nothing", async () => {
  const { trialToStart, email, services, left } = withDueWork();
  await trialToStart();
  await email();
  await runScheduled(services, onlyBatches(0));
  expect(left()).toMatchObject({ trialsToStart: 1, emails: 1 });
});

test("a run counts each D1 statement, call to Stripe and message", async () => {
  const { trialToStart, abandoned, env, calls, statements } = withDueWork();
  await trialToStart();
  await abandoned();
  const count = vi.fn<(calls: number) => void>();
  const services = servicesFor(configurationOf(env), { hasLeft: () => true, count });
  const before = { calls: calls.length, statements: statements() };
  await runScheduled(services, { hasLeft: () => true, count });
  const counted = count.mock.calls.reduce((sum, [more]) => sum + more, 0);
  expect(counted).toBe(calls.length - before.calls + statements() - before.statements);
});

test("a sign-up whose next check lies in the past is looked at once in a run", async () => {
  const { waiting, change, services, rows } = withDueWork();
  const { id } = await waiting();
  await repeat(5, waiting);
  // A sign-up of age zero is due again at once, because its next check is at three times its age.
  await change(id, `created_at = '${new Date(NOW).toISOString()}'`);
  const takeDue = vi.spyOn(services.signUps, "takeDue");
  await runScheduled(services, WITHOUT_LIMITS);
  const taken = await Promise.all(takeDue.mock.results.map(({ value }) => value));
  expect(taken.flat().filter((signUp) => signUp.id === id)).toHaveLength(1);
  expect(rows("SELECT 1 FROM sign_ups WHERE id = ? AND check_at > ?", id, new Date(NOW).toISOString())).toHaveLength(1);
});

/** The services of a run with one of them broken. */
function failing(services: ScheduledServices, part: "messages" | "trials" | "settled messages"): ScheduledServices {
  const fails = () => Promise.reject(new Error("D1_ERROR"));
  const { signUps, outbox } = services;
  switch (part) {
    case "messages":
      return { ...services, outbox: { ...outbox, take: fails } };
    case "trials":
      return {
        ...services,
        signUps: { ...signUps, takeDue: (rank, ...rest) => (rank === 0 ? fails() : signUps.takeDue(rank, ...rest)) },
      };
    case "settled messages":
      return { ...services, outbox: { ...outbox, deleteSettled: fails } };
  }
}

test.each([
  { part: "messages", left: { trialsToStart: 0, waiting: 0, abandoned: 0, emails: 1 } },
  { part: "trials", left: { trialsToStart: 1, waiting: 0, abandoned: 0, emails: 0 } },
  { part: "settled messages", left: { trialsToStart: 0, waiting: 0, abandoned: 0, emails: 0 } },
] as const)("a run whose $part fail does the rest of its work", async ({ part, left: expected }) => {
  const { trialToStart, waiting, abandoned, email, services, left } = withDueWork();
  for (const work of [trialToStart, waiting, abandoned, email]) await work();
  await expect(runScheduled(failing(services, part), WITHOUT_LIMITS)).rejects.toThrow(
    "A part of the scheduled run failed",
  );
  expect(left()).toEqual(expected);
});

test("a run in which two parts failed is one line of the log, with the parts", async () => {
  const { services, logged } = withDueWork();
  const broken = failing(failing(services, "messages"), "settled messages");
  await runScheduled(broken, WITHOUT_LIMITS).catch(() => undefined);
  const lines = logged.filter(({ event }) => event === "scheduled_run_failed");
  expect(lines).toEqual([expect.objectContaining({ level: "error", parts: ["messages", "settled messages"] })]);
});

test("a complete run is recorded for /health", async () => {
  const { services, rows } = withDueWork();
  await runScheduled(services, WITHOUT_LIMITS);
  expect(rows("SELECT ran_at FROM cron_runs WHERE name = 'scheduled'")).toEqual([
    { ran_at: new Date(NOW).toISOString() },
  ]);
});

test("a run of which a part failed is not recorded for /health", async () => {
  const { services, rows } = withDueWork();
  await runScheduled(failing(services, "settled messages"), WITHOUT_LIMITS).catch(() => undefined);
  expect(rows("SELECT ran_at FROM cron_runs WHERE name = 'scheduled'")).toEqual([{ ran_at: null }]);
});

test("the log lines of a run have one request ID", async () => {
  const { waiting, runScheduled: run, logged } = withDueWork();
  await repeat(2, waiting);
  await run();
  const [id, ...others] = new Set(logged.map(({ request_id }) => request_id));
  expect(id).toEqual(expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));
  expect(others).toEqual([]);
});

test("each run has its own request ID", async () => {
  const { waiting, runScheduled: run, logged } = withDueWork();
  for (const _ of [1, 2]) {
    await waiting();
    await run();
  }
  expect(new Set(logged.map(({ request_id }) => request_id)).size).toBe(2);
});
