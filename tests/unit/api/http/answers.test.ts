import { expect, test } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../../app/contract/problem-types";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { type Answer, answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";

stopClock();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const RAY = "8f1b-SEA";
const COPIED = "D1_ERROR: Currently processing a long-running export.";

test.each<{ rule: string; named?: string; ray?: string; id: string | RegExp }>([
  { rule: "the sender's, up to 64 characters", named: "a".repeat(64), id: "a".repeat(64) },
  { rule: "Cloudflare's if the sender's is too long", named: "a".repeat(65), id: RAY },
  { rule: "a new UUID if Cloudflare's is invalid", ray: "@8f1b", id: UUID },
])("the request ID is $rule, also in the log", async ({ named, ray = RAY, id }) => {
  const { ask, logged } = apiInProcess();
  const answer = await ask("/", { headers: { ...(named && { "x-request-id": named }), "cf-ray": ray } });
  expect(answer).toHaveHeader("X-Request-Id", id);
  expect(logged).toMatchObject([{ event: "request", request_id: answer.headers.get("x-request-id") }]);
});

test.each([
  { path: "/health", line: { route: "/health", status: 200 } },
  { path: "/subscription/status/a@example.com", line: { route: "/subscription/status/:token", status: 404 } },
  { path: "/ada@example.com", line: { route: "unknown", status: 404, path: "/[email]" } },
  { path: `/link/${"t".repeat(40)}`, line: { route: "unknown", status: 404, path: "/link/…" } },
])("the answer to $path is private, keeps to https, names no software, and is logged by route alone", async (row) => {
  const { ask, logged } = apiInProcess();
  const answer = await ask(`https://localhost${row.path}`);
  expect(answer).toHaveHeaders({
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  });
  for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"]) expect(answer).not.toHaveHeader(name);
  const common = { on: "info", level: "info", event: "request", method: "GET", request_id: expect.any(String) };
  expect(logged.at(-1)).toEqual({ ...common, ...row.line });
  // A browser on a developer's machine has no https to keep to.
  expect(await ask(`http://localhost${row.path}`)).not.toHaveHeader("Strict-Transport-Security");
});

/** Stripe's answer to every call, or D1's error for every statement. */
type Failure = { stripe?: Answer; database?: string };

/** A deployment to which this happens from now on. @param statement the statements to which it happens */
function failingApi({ stripe, database }: Failure, statement = "") {
  const api = apiInProcess({
    settings: DEPLOYED,
    io: async (sql, effect) => {
      if (database !== undefined && sql.includes(statement)) throw new Error(database);
      return effect();
    },
  });
  if (stripe) api.instead.set("", stripe);
  const warnings = () => api.logged.flatMap(({ level, event }) => (level === "info" ? [] : `${level} ${event}`));
  return { ...api, warnings };
}

const STRIPE_IS_DOWN = { status: 503, problem: "The payment provider is unavailable", retryAfter: "5" };
const IN_PROGRESS = { status: 409, problem: REQUEST_IN_PROGRESS, retryAfter: "2" };
const UNEXPECTED = { status: 502, problem: "The payment provider gave an unexpected answer" };
const OUR_ERROR = { status: 500, problem: "Internal server error" };
const BACK_SOON = { status: 503, problem: "The database is unavailable", retryAfter: "2" };

test.each<Failure & { answered: { status: number; problem: string; retryAfter?: string }; logs: string }>([
  { stripe: refusal(503, "", "api_error"), answered: STRIPE_IS_DOWN, logs: "warn stripe_failed" },
  { stripe: refusal(409, "", "idempotency_error"), answered: IN_PROGRESS, logs: "warn stripe_failed" },
  { stripe: answer(200, { data: [{}] }), answered: UNEXPECTED, logs: "error stripe_answer_unexpected" },
  { database: "D1 DB is overloaded", answered: BACK_SOON, logs: "warn database_failed_in_passing" },
  { database: COPIED, answered: BACK_SOON, logs: "warn database_copied" },
  { database: "D1_ERROR: UNIQUE of ada@example.com", answered: OUR_ERROR, logs: "error request_failed" },
])("a form gets $answered.status $answered.problem, and the log line $logs", async ({ answered, logs, ...failure }) => {
  const { post, settled, warnings } = failingApi(failure);
  const answer = await post();
  await settled();
  const { status, problem, retryAfter = null } = answered;
  expect(answer).toBeProblem(status, problem);
  expect(answer.headers.get("Retry-After")).toBe(retryAfter);
  expect(warnings()).toEqual([logs]);
});

test("while D1 is being copied, health check and cron handler wake nobody", async () => {
  const { ask, runScheduled, warnings } = failingApi({ database: COPIED });
  expect(await ask("https://api.example/health")).toBeProblem(503, "The service is not healthy");
  await expect(runScheduled()).rejects.toThrow("A part of the scheduled run failed");
  expect(warnings()).toEqual(["warn database_copied", "warn database_copied"]);
});

test("an error in the work after an answer is in the log alone, under the request's ID", async () => {
  const { post, settled, logged } = failingApi({ database: "of ada@example.com" }, "FROM outbox");
  expect(await post({}, { "x-request-id": "the-sites-id" })).toHaveStatus(200);
  await settled();
  const line = { level: "error", event: "dispatch_failed", request_id: "the-sites-id" };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test("on a developer's machine the log has an error's message", async () => {
  const { post, logged } = apiInProcess({ io: () => Promise.reject(new RangeError("NCBOOM")) });
  await post();
  const line = { event: "request_failed", error: "RangeError", message: "NCBOOM" };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test.each([
  { key: "LINK_SECRET", value: "too-short-a-secret", problem: "The service is not configured" },
  { key: "MAINTENANCE", value: "true", problem: "Down for maintenance" },
])("with $key $value the API answers 503 with the setting's name alone, and cron does nothing", async (row) => {
  const { key, value, problem } = row;
  const { ask, runScheduled, rows, logged } = apiInProcess({ settings: { [key]: value } });
  const answer = await ask("/health");
  expect(answer).toBeProblem(503, problem);
  const body = await answer.json();
  expect(body).toMatchObject({ keys: [key] });
  await runScheduled();
  expect(rows("SELECT ran_at FROM cron_runs WHERE name = 'scheduled'")).toEqual([{ ran_at: null }]);
  expect(JSON.stringify([body, logged])).not.toContain("too-short");
});
