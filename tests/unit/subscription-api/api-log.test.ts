import { expect, test } from "vitest";
import { describeError } from "../../../functions/subscription-api/log";

const TYPED = "ada@example.com";

test("an error is told by its name, its cause's name and where it was thrown, never by what it says [F6]", () => {
  const described = describeError(new TypeError(`No ${TYPED}\nand more of ${TYPED}`, { cause: new RangeError(TYPED) }));
  expect(described).toEqual({ error: "TypeError", cause: "RangeError", stack: expect.any(Array) });
  expect(String(described.stack)).toMatch(/^at .*api-log\.test\.ts/);
  expect(JSON.stringify(described)).not.toContain(TYPED);
  expect(describeError(new Error(TYPED, { cause: TYPED }))).toMatchObject({ error: "Error", cause: undefined });
  expect(describeError(TYPED)).toEqual({ error: "string" });
});
