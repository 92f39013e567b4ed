import { expect, test, vi } from "vitest";
import { runScheduled } from "../../../../functions/subscription-api/cron/run";
import { runLimits } from "../../../../functions/subscription-api/cron/run-limits";
import { deleteSettledMessages } from "../../../../functions/subscription-api/cron/settled-messages";
import { servicesFor } from "../../../../functions/subscription-api/services";
import type { Io } from "../../../support/api-in-process/database";
import { DAY, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { configurationOf, signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

const DUE = new Date(NOW - 1).toISOString();
const TWO_DAYS_AGO = new Date(NOW - 2 * DAY).toISOString();
const onlyBatches = (left: number) => ({ hasLeft: () => left-- > 0, count: () => {} });
const WITHOUT_LIMITS = onlyBatches(Number.POSITIVE_INFINITY);
const LEFT = `
  SELECT count(*) FILTER (WHERE status = 'card_set_up') AS trialsToStart,
    count(*) FILTER (WHERE check_rank = 1 AND check_at = '${DUE}') AS waiting,
    count(*) FILTER (WHERE created_at = '${TWO_DAYS_AGO}') AS abandoned,
    (SELECT count(*) FROM outbox WHERE kind = 'card-used' AND state = 'due') AS emails
  FROM sign_ups`;

/** An API with work that is due. Each sign-up has its own email address and card. */
function withDueWork(io?: Io) {
  const api = signUpsInProcess({ io });
  let made = 0;
  const email = () => `${++made}@example.com`;
  return {
    ...api,
    async trialToStart() {
      const signUp = await api.pending({ email: email() }, `status = 'card_set_up', check_at = '${DUE}'`);
      api.enterCard(signUp, `card ${made}`);
    },
    /** Its card may have been set up without a webhook. */
    waiting: () => api.unknownToStripe({ email: email() }, `check_at = '${DUE}'`),
    abandoned: () => api.unknownToStripe({ email: email() }, `check_at = '${DUE}', created_at = '${TWO_DAYS_AGO}'`),
    /** An email is due about a sign-up that is not. */
    async email() {
      const { id } = await api.unknownToStripe({ email: email() });
      const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
      api.rows(`${message} VALUES (?1, ?1, 'card-used', ?2, ?2)`, id, DUE);
    },
    left: () => api.rows(LEFT)[0],
  };
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let each = 0; each < times; each += 1) await work();
}

test("a run starts trials and sends messages in turn, checks sign-ups, and deletes abandoned ones last", async () => {
  const { trialToStart, waiting, abandoned, email, services, left } = withDueWork();
  for (const work of [abandoned, waiting, trialToStart]) await repeat(6, work);
  await repeat(18, email);
  await runScheduled(services, onlyBatches(0));
  expect(left(), "after a run without limits left").toMatchObject({ trialsToStart: 6, emails: 18 });
  await runScheduled(services, onlyBatches(1));
  // Six messages, two of each kind: the trials' own emails and account webhooks are due as well.
  expect(left()).toMatchObject({ trialsToStart: 0, waiting: 6, abandoned: 6, emails: 16 });
  await runScheduled(services, onlyBatches(2));
  expect(left()).toMatchObject({ waiting: 0, abandoned: 6 });
  await runScheduled(services, onlyBatches(3));
  expect(left()).toMatchObject({ abandoned: 0 });
});

test("with too much due, the first run only works on trials, the second starts the last, and each logs its own request ID", async () => {
  const { trialToStart, waiting, abandoned, runScheduled: run, left, logged } = withDueWork();
  await repeat(80, trialToStart);
  for (const work of [waiting, abandoned]) await work();
  const requestIds = () => [...new Set(logged.map(({ request_id }) => request_id))];
  await run();
  expect(left()).toMatchObject({ trialsToStart: expect.toSatisfy((trials) => trials > 0), waiting: 1, abandoned: 1 });
  expect(requestIds()).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)]);
  vi.setSystemTime(NOW + MINUTE);
  await run();
  expect(left()).toMatchObject({ trialsToStart: 0 });
  expect(requestIds()).toHaveLength(2);
});

test("a run counts each D1 statement, call to Stripe and message", async () => {
  let statements = 0;
  const { trialToStart, abandoned, env, calls } = withDueWork(async (label, effect) => {
    statements += label.startsWith("batch: ") ? label.split("; ").length : 1;
    return effect();
  });
  for (const work of [trialToStart, abandoned]) await work();
  const count = vi.fn<(calls: number) => void>();
  const services = servicesFor(configurationOf(env), { hasLeft: () => true, count });
  const before = calls.length + statements;
  await runScheduled(services, { hasLeft: () => true, count });
  const counted = count.mock.calls.reduce((sum, [more]) => sum + more, 0);
  expect(counted).toBe(calls.length + statements - before);
});

test("a sign-up whose next check lies in the past is looked at once in a run", async () => {
  const { waiting, change, services, find, logged } = withDueWork();
  const { id } = await waiting();
  await repeat(5, waiting);
  // A sign-up of age zero is due again at once, because its next check is at three times its age.
  await change(id, `created_at = '${new Date(NOW).toISOString()}'`);
  await runScheduled(services, WITHOUT_LIMITS);
  const looks = logged.filter(({ event, signUpId }) => event === "sign_up_reconciled" && signUpId === id);
  expect(looks).toHaveLength(1);
  expect(Date.parse((await find(id)).check_at ?? "")).toBeGreaterThan(NOW);
});

test("parts that fail keep no other from its turn, are one line of the log, and the run is not recorded", async () => {
  const { trialToStart, waiting, abandoned, email, services, left, rows, logged } = withDueWork();
  const ranAt = () => rows("SELECT ran_at FROM cron_runs WHERE name = 'scheduled'")[0]?.ran_at;
  for (const work of [trialToStart, waiting, abandoned, email]) await work();
  const fails = () => Promise.reject(new Error("D1_ERROR"));
  const { takeDue } = services.signUps;
  const take = vi.spyOn(services.outbox, "take").mockImplementation(fails);
  const takeSome = vi.spyOn(services.signUps, "takeDue");
  takeSome.mockImplementation((rank, ...rest) => (rank === 0 ? fails() : takeDue(rank, ...rest)));
  const remove = vi.spyOn(services.outbox, "deleteSettled").mockImplementation(fails);
  const run = () => runScheduled(services, WITHOUT_LIMITS);
  await expect(run()).rejects.toThrow("A part of the scheduled run failed");
  expect(left()).toEqual({ trialsToStart: 1, waiting: 0, abandoned: 0, emails: 1 });
  expect(take, "asked again in the same run").toHaveBeenCalledOnce();

  for (const spy of [take, takeSome]) spy.mockRestore();
  await expect(run()).rejects.toThrow("A part of the scheduled run failed");
  expect(left()).toEqual({ trialsToStart: 0, waiting: 0, abandoned: 0, emails: 0 });
  expect(ranAt()).toBeNull();
  const failed = { level: "error", parts: ["sign-ups of rank 0", "messages", "settled messages"] };
  const lines = logged.filter(({ event }) => event === "scheduled_run_failed");
  expect(lines).toMatchObject([failed, { level: "error", parts: ["settled messages"] }]);

  remove.mockRestore();
  await repeat(40, email);
  await run();
  expect(left(), "after a complete run").toMatchObject({ emails: 0 });
  expect(ranAt()).toBe(new Date(NOW).toISOString());
});

test("a message is deleted 30 days after it was sent or dropped, a due one never, and so many in one run", async () => {
  const { signUp, rows, services } = withDueWork();
  const { id } = await signUp();
  const message = "INSERT INTO outbox (sign_up_id, kind, next_attempt_at, created_at, key, state, settled_at)";
  const add = (key: string, settled: string | null) =>
    rows(`${message} VALUES (?, 'card-used', '', '', ?, ?, ?)`, id, key, settled === null ? "due" : "sent", settled);
  add("younger", new Date(NOW - 30 * DAY).toISOString());
  add("older", new Date(NOW - 30 * DAY - 1).toISOString());
  add("due", null);
  await deleteSettledMessages(services);
  const keys = () => rows("SELECT key FROM outbox ORDER BY key").map(({ key }) => key);
  expect(keys()).toEqual(["due", "younger"]);
  add("another", new Date(NOW - DAY).toISOString());
  expect(await services.outbox.deleteSettled(new Date(NOW), 1)).toBe(1);
  expect(keys()).toHaveLength(2);
});

test.each([
  { calls: 799, after: 4 * MINUTE - 1, goesOn: true },
  { calls: 800, after: 0, goesOn: false },
  { calls: 0, after: 4 * MINUTE, goesOn: false },
])("after $calls calls and $after ms a run goes on: $goesOn", ({ calls, after, goesOn }) => {
  const limits = runLimits();
  limits.count(calls - 1);
  limits.count(1);
  vi.setSystemTime(NOW + after);
  expect(limits.hasLeft()).toBe(goesOn);
});
