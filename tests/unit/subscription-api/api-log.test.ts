import { afterEach, expect, test, vi } from "vitest";
import { describeError, log, withRequestId } from "../../../functions/subscription-api/log";

afterEach(() => {
  vi.restoreAllMocks();
});

const TYPED = "ada@example.com";

test("an error is told by its name, its cause's name and where it was thrown, never by what it says [F6]", () => {
  const described = describeError(new TypeError(`No ${TYPED}\nand more of ${TYPED}`, { cause: new RangeError(TYPED) }));
  expect(described).toEqual({ error: "TypeError", cause: "RangeError", stack: expect.any(Array) });
  expect(String(described.stack)).toMatch(/^at .*api-log\.test\.ts/);
  expect(JSON.stringify(described)).not.toContain(TYPED);
  expect(describeError(new Error(TYPED, { cause: TYPED }))).toMatchObject({ error: "Error", cause: undefined });
  expect(describeError(TYPED)).toEqual({ error: "string" });
});

test("of a stack only the lines that name a place are told [F6]", () => {
  const error = new Error(TYPED);
  error.stack = `Error: ${TYPED}\nlooked at ${TYPED}\n    at place (file.js:1:2)\n  at other (file.js:3:4)\nat the end`;
  expect(describeError(error).stack).toEqual(["at place (file.js:1:2)", "at other (file.js:3:4)"]);
  Reflect.deleteProperty(error, "stack");
  expect(describeError(error).stack).toEqual([]);
});

test("a line has its level, its event and its fields, and the id of the request whose work it is", async () => {
  const lines: string[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => lines.push(`${level} ${line}`));
  log("warn", "before");
  const answer = await withRequestId("a-request", async () => {
    await Promise.resolve();
    log("info", "during", { count: 1, keys: ["A"] });
    await withRequestId("another", async () => log("error", "in another"));
    return "an answer";
  });
  log("info", "afterwards");
  expect(answer).toBe("an answer");
  expect(lines).toEqual([
    'warn {"level":"warn","event":"before"}',
    'info {"level":"info","event":"during","request_id":"a-request","count":1,"keys":["A"]}',
    'error {"level":"error","event":"in another","request_id":"another"}',
    'info {"level":"info","event":"afterwards"}',
  ]);
});
