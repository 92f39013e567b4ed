import { expect, test } from "vitest";
import { describeError } from "../../../app/shared/describe-error";

const TYPED = "ada@example.com";

test("an error is logged with its name, its cause's name and its stack, but without its message [F6]", () => {
  const described = describeError(new TypeError(`No ${TYPED}`, { cause: new RangeError(TYPED) }));
  expect(described).toEqual({ error: "TypeError", cause: "RangeError", stack: expect.any(Array) });
  expect(described.stack?.[0]).toMatch(/^at .*describe-error\.test\.ts:\d+:\d+/);
  expect(JSON.stringify(described)).not.toContain(TYPED);
});

test.each([
  `No ${TYPED}\nand more of ${TYPED}`,
  `No\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`,
  `No\n\n\n\n\n    at (${TYPED}:1:2)\n`,
  `$& ${TYPED}`,
])("no line of the message %j is mistaken for a stack line [F6]", (message) => {
  const described = describeError(new Error(message));
  expect(described.stack?.[0]).toMatch(/describe-error\.test\.ts/);
  expect(JSON.stringify(described)).not.toContain(TYPED);
});

test("an error whose message was changed keeps its stack [F6]", () => {
  const error = new Error(`${TYPED}\nand ${TYPED}`);
  error.message = "Another message";
  const { stack = [] } = describeError(error);
  expect(stack[0]).toMatch(/describe-error\.test\.ts/);
  expect(stack.join()).not.toContain(TYPED);
});

test("errors without a stack and thrown values that are not errors are described too", () => {
  const error = new Error(TYPED, { cause: TYPED });
  Reflect.deleteProperty(error, "stack");
  expect(describeError(error)).toEqual({ error: "Error", stack: [] });
  expect(describeError(TYPED)).toEqual({ error: "string" });
});
