import { describe, expect, test, vi } from "vitest";
import { createLog } from "../../../app/pipeline/log.server";
import { describeError } from "../../../app/shared/log/describe-error";

const TYPED = "ada@example.com";
const MESSAGES = [TYPED, `No ${TYPED}\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`, `$& ${TYPED}`];

describe("an error in the log", () => {
  test("has its name, its cause's name and its stack", () => {
    const described = describeError(new TypeError("x", { cause: new RangeError("y") }), false);
    expect(described).toMatchObject({ error: "TypeError", cause: "RangeError" });
    expect(described.stack?.[0]).toMatch(/describe-error\.test\.ts/);
  });

  test.each(MESSAGES)("has nothing of its message or its cause's: %j", (message) => {
    const described = describeError(new TypeError(message, { cause: new RangeError(TYPED) }), false);
    expect(described).not.toHaveProperty("message");
    expect(JSON.stringify(described)).not.toContain(TYPED);
  });

  test.each([
    { from: "the database", message: "D1_ERROR: no such table: outbox: SQLITE_ERROR" },
    { from: "the runtime", message: "Network connection lost." },
    { from: "D1", message: "D1_ERROR: D1 DB is overloaded. Too many requests queued." },
    { from: "a full D1", message: "D1_ERROR: Exceeded maximum DB size" },
  ])("has the message of $from, which no visitor wrote", ({ message }) => {
    expect(describeError(new Error(message), false)).toMatchObject({ error: "Error", message });
  });

  test("has no message of the database that quotes a row", () => {
    const error = new Error(`D1_ERROR: Failed to parse body as JSON, got: ${TYPED}`);
    expect(JSON.stringify(describeError(error, false))).not.toContain(TYPED);
  });

  test.each(MESSAGES)("has nothing of a message that was changed after its stack was written: %j", (message) => {
    const changed = Object.assign(new TypeError(message), { message: "Another message" });
    expect(JSON.stringify(describeError(changed, false))).not.toContain(TYPED);
  });

  test("has its message and its cause's on a developer's machine", () => {
    const described = describeError(new TypeError("x", { cause: new RangeError("y") }), true);
    expect(described).toMatchObject({ error: "TypeError", message: "x", cause: "RangeError: y" });
  });

  test("has only its type if something else was thrown", () => {
    expect(describeError(TYPED, false)).toEqual({ error: "string" });
  });
});

test.each([
  { where: "a developer's machine", env: { SITE_URL: "http://localhost:8787" }, message: "NCBOOM" },
  { where: "a deployment", env: { SITE_URL: "https://www.acme.com", STAGE: "production" }, message: undefined },
  {
    where: "a deployment with a wrong URL",
    env: { SITE_URL: "http://localhost", STAGE: "staging" },
    message: undefined,
  },
  { where: "a Worker without settings", env: {}, message: undefined },
])("in $where the site's log has the message $message of an error", ({ env, message }) => {
  const written = vi.spyOn(console, "error").mockReturnValue();
  createLog("a-request", env).failure("unexpected", new Error("NCBOOM"));
  expect(JSON.parse(String(written.mock.lastCall?.[0])).message).toBe(message);
});
