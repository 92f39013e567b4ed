import { HTTPException } from "hono/http-exception";
import { beforeEach, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../../app/contract/problem-types";
import { errorResponse } from "../../../../functions/subscription-api/http/error-response";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";

let logged: Record<string, unknown>[];
beforeEach(() => {
  logged = [];
  for (const level of ["warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line)));
});

const TYPED = "ada@example.com";
const PASSING = { level: "warn", event: "database_failed_in_passing" };
const FAILED = { level: "error", event: "request_failed" };

test.each<[Error, number, string, string | null, object]>([
  [new Error("D1_ERROR: Network connection lost."), 503, "The database is unavailable", "2", PASSING],
  [new Error("Failed", { cause: new Error("D1 DB is overloaded") }), 503, "The database is unavailable", "2", PASSING],
  [new Error(`D1_ERROR: UNIQUE constraint failed for ${TYPED}`), 500, "Internal server error", null, FAILED],
  [new PaymentsError("in-progress"), 409, "The same request is still in progress", "2", FAILED],
  [new PaymentsError("email-refused"), 502, "The payment provider gave an unexpected answer", null, FAILED],
  [new PaymentsError("unexpected-answer"), 502, "The payment provider gave an unexpected answer", null, FAILED],
  [new PaymentsError("failed"), 503, "The payment provider is unavailable", "5", FAILED],
  [new PaymentsError("unavailable", new TypeError(TYPED)), 503, "The payment provider is unavailable", "5", FAILED],
])("%s gives %i [F6]", async (error, status, title, retryAfter, line) => {
  const answer = errorResponse(error);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ type: status === 409 ? REQUEST_IN_PROGRESS : "about:blank", status, title });
  expect(answer.headers.get("retry-after")).toBe(retryAfter);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(logged).toMatchObject([{ ...line, error: error.name }]);
  expect(JSON.stringify(logged)).not.toContain(TYPED);
});

test("an error response from Hono's middleware is not logged as a failure", async () => {
  const answer = errorResponse(new HTTPException(403, { message: TYPED }));
  expect(answer.status).toBe(403);
  expect(await answer.json()).toEqual({ type: "about:blank", status: 403, title: "The request is refused" });
  expect(logged).toEqual([]);
});
