import { expect, test } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../../app/contract/problem-types";
import { apiInProcess, type Instead } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";

/* The answers when Stripe, the database or the API itself fails, and the level at which each failure is logged. */

stopClock();

type Failure = {
  what: string;
  /** Stripe's answer to every call. */
  stripe?: Instead;
  /** D1's error for every statement. */
  database?: string;
  status: number;
  problem: string;
  /** Seconds. */
  retryAfter?: string;
  /** The only warning or error. */
  logs: string;
};

const FAILURES: Failure[] = [
  {
    what: "Stripe is down",
    stripe: () => refusal(503, "", "api_error"),
    status: 503,
    problem: "The payment provider is unavailable",
    retryAfter: "5",
    logs: "warn stripe_failed",
  },
  {
    what: "the same request is under way at Stripe",
    stripe: () => refusal(409, "", "idempotency_error"),
    status: 409,
    problem: REQUEST_IN_PROGRESS,
    retryAfter: "2",
    logs: "warn stripe_failed",
  },
  {
    what: "Stripe's answer makes no sense",
    stripe: () => Response.json({ data: [{}] }),
    status: 502,
    problem: "The payment provider gave an unexpected answer",
    logs: "error stripe_answer_unexpected",
  },
  {
    what: "D1 fails for a moment",
    database: "D1 DB is overloaded",
    status: 503,
    problem: "The database is unavailable",
    retryAfter: "2",
    logs: "warn database_failed_in_passing",
  },
  {
    what: "another process writes to the database",
    database: "D1_ERROR: database is locked: SQLITE_BUSY",
    status: 503,
    problem: "The database is unavailable",
    retryAfter: "2",
    logs: "warn database_failed_in_passing",
  },
  {
    what: "another process has written to the database since the transaction began",
    database: "D1_ERROR: database is locked: SQLITE_BUSY_SNAPSHOT",
    status: 503,
    problem: "The database is unavailable",
    retryAfter: "2",
    logs: "warn database_failed_in_passing",
  },
  {
    what: "a statement fails",
    database: "D1_ERROR: UNIQUE constraint failed for ada@example.com",
    status: 500,
    problem: "Internal server error",
    logs: "error request_failed",
  },
];

/** An API to which this happens from now on. */
function failingApi({ stripe, database }: Failure) {
  const api = apiInProcess({
    settings: DEPLOYED,
    io: async (_, effect) => {
      if (database !== undefined) throw new Error(database);
      return effect();
    },
  });
  if (stripe) api.instead.set("", stripe);
  return api;
}

test.each(FAILURES)("a form is answered with $status if $what", async (failure) => {
  const { post, settled } = failingApi(failure);
  const answer = await post();
  await settled();
  expect(answer).toBeProblem(failure.status, failure.problem);
});

test.each(FAILURES.filter(({ retryAfter }) => retryAfter))(
  "a form is asked to come again in $retryAfter s if $what",
  async (failure) => {
    const { post, settled } = failingApi(failure);
    const answer = await post();
    await settled();
    expect(answer).toHaveHeader("Retry-After", failure.retryAfter);
  },
);

test.each(FAILURES)("a failure is logged once, as $logs, if $what", async (failure) => {
  const { post, settled, logged } = failingApi(failure);
  await post();
  await settled();
  const lines = logged.filter(({ level }) => level !== "info");
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([failure.logs]);
});

test("an error in the work after an answer is in the log alone, under the request's ID", async () => {
  const api = apiInProcess({
    settings: DEPLOYED,
    io: async (sql, effect) => {
      if (sql.includes("FROM outbox")) throw new RangeError("of ada@example.com");
      return effect();
    },
  });
  expect(await api.post({}, { "x-request-id": "the-sites-id" })).toHaveStatus(200);
  await api.settled();
  const line = { level: "error", event: "dispatch_failed", request_id: "the-sites-id" };
  expect(api.logged).toContainEqual(expect.objectContaining(line));
});

test("on a developer's machine the log has an error's message", async () => {
  const { post, logged } = apiInProcess({ io: () => Promise.reject(new RangeError("NCBOOM")) });
  await post();
  expect(logged).toContainEqual(
    expect.objectContaining({ event: "request_failed", error: "RangeError", message: "NCBOOM" }),
  );
});

test("wrong settings are named, and answered with 503", async () => {
  const { ask } = apiInProcess({ settings: { LINK_SECRET: "too-short-a-secret" } });
  const answer = await ask("/health");
  expect(answer).toBeProblem(503, "The service is not configured");
  expect(await answer.json()).toMatchObject({ keys: ["LINK_SECRET"] });
});

test("maintenance is answered with 503", async () => {
  const { ask } = apiInProcess({ settings: { MAINTENANCE: "true" } });
  expect(await ask("/health")).toBeProblem(503, "Down for maintenance");
});

test.each([
  { when: "with wrong settings", settings: { LINK_SECRET: "too-short-a-secret" } },
  { when: "in maintenance", settings: { MAINTENANCE: "true" } },
])("$when the cron handler does nothing", async ({ settings }) => {
  const { runScheduled, rows } = apiInProcess({ settings });
  await runScheduled();
  expect(rows("SELECT ran_at FROM cron_runs WHERE name = 'scheduled'")).toEqual([{ ran_at: null }]);
});

test("neither answer nor log has the value of a wrong setting", async () => {
  const { ask, runScheduled, logged } = apiInProcess({ settings: { LINK_SECRET: "too-short-a-secret" } });
  const text = await (await ask("/health")).text();
  await runScheduled();
  expect(text + JSON.stringify(logged)).not.toContain("too-short");
});
