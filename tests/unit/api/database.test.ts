import { expect, test, vi } from "vitest";
import { databaseOver, isTransient } from "../../../functions/subscription-api/database";
import { databaseInMemory } from "../../support/api-in-process/database";

test("each statement is reported once, when it is prepared", async () => {
  const onStatement = vi.fn();
  const db = databaseOver(databaseInMemory().d1, onStatement);
  await db.batch({ one: db.prepare("SELECT 1"), two: db.prepare("SELECT 2") });
  expect(onStatement).toHaveBeenCalledTimes(2);
});

test.each([
  [true, "D1_ERROR: Network connection lost."],
  [true, "Internal error while starting up D1 DB storage caused object to be reset."],
  [true, "D1 DB reset because its code was updated."],
  [true, "Cannot resolve D1 DB due to transient issue on remote node."],
  [true, "D1 DB is overloaded. Requests queued for too long."],
  [true, "D1 DB exceeded its memory limit and was reset."],
  [false, "no such table: sign_ups"],
])("an error, or its cause, is transient: %s for %s", (expected, message) => {
  expect(isTransient(new Error(message))).toBe(expected);
  expect(isTransient(new Error("Failed", { cause: new Error(message) }))).toBe(expected);
});
