import { expect, test, vi } from "vitest";
import { createLog } from "../../../app/pipeline/log.server";
import { describeError } from "../../../app/shared/log/describe-error";

/* What the log has of an error: never what a visitor typed. */

const TYPED = "ada@example.com";

test("a logged error has its name, its cause's name and its stack, and on a developer's machine both messages", () => {
  const error = new TypeError("x", { cause: new RangeError("y") });
  const described = describeError(error, false);
  expect(described).toMatchObject({ error: "TypeError", cause: "RangeError" });
  expect(described.stack?.[0]).toMatch(/describe-error\.test\.ts/);
  expect(describeError(error, true)).toMatchObject({ error: "TypeError", message: "x", cause: "RangeError: y" });
  expect(describeError(TYPED, false), "not an error").toEqual({ error: "string" });
});

test("a logged error has nothing of its message, even a changed one, or its cause's", () => {
  for (const message of [TYPED, `No ${TYPED}\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`, `$& ${TYPED}`]) {
    const error = new TypeError(message, { cause: new RangeError(TYPED) });
    const changed = Object.assign(new TypeError(message), { message: "Another message" });
    for (const described of [describeError(error, false), describeError(changed, false)]) {
      expect(described).toMatchObject({ error: "TypeError", stack: expect.any(Array) });
      expect(described).not.toHaveProperty("message");
      expect(JSON.stringify(described)).not.toContain(TYPED);
    }
  }
});

test.each([
  { from: "the database", message: "D1_ERROR: no such table: outbox: SQLITE_ERROR", logged: true },
  { from: "the runtime", message: "Network connection lost.", logged: true },
  { from: "D1", message: "D1_ERROR: D1 DB is overloaded. Too many requests queued.", logged: true },
  { from: "a D1 that is being copied", message: "D1_ERROR: Currently processing a long-running export.", logged: true },
  { from: "a full D1", message: "D1_ERROR: Exceeded maximum DB size", logged: true },
  { from: "D1, with a row", message: `D1_ERROR: Failed to parse body as JSON, got: ${TYPED}`, logged: false },
])("the message of $from is logged ($logged), if no visitor wrote it", ({ message, logged }) => {
  const described = describeError(new Error(message), false);
  expect(described.error).toBe("Error");
  expect(described.message).toBe(logged ? message : undefined);
  expect(JSON.stringify(described)).not.toContain(TYPED);
});

const DEPLOYMENT = { SITE_URL: "https://www.acme.com", STAGE: "production" };

test.each([
  { where: "a developer's machine", env: { SITE_URL: "http://localhost:8787" }, message: "NCBOOM" },
  { where: "a deployment", env: DEPLOYMENT, message: undefined },
  { where: "a deployment with a wrong URL", env: { ...DEPLOYMENT, SITE_URL: "http://localhost" }, message: undefined },
  { where: "a Worker without settings", env: {}, message: undefined },
])("in $where the site's log has the message $message of an error", ({ env, message }) => {
  const written = vi.spyOn(console, "error").mockReturnValue();
  createLog("a-request", env).failure("unexpected", new Error("NCBOOM"));
  expect(JSON.parse(String(written.mock.lastCall?.[0])).message).toBe(message);
});
