import { expect, test, vi } from "vitest";
import { databaseOver, isTransient } from "../../../functions/subscription-api/database";
import { databaseInMemory } from "../../support/api-in-process/database";

const UPDATE = "UPDATE packages SET name = 'other' WHERE name = 'MINI'";

test("each statement is reported once when it is prepared, batches are not", async () => {
  const onStatement = vi.fn();
  const db = databaseOver(databaseInMemory().d1, onStatement);
  expect(await db.prepare("SELECT ? AS one").bind(1).first("one")).toBe(1);
  await db.batch({ update: db.prepare(UPDATE) });
  expect(onStatement).toHaveBeenCalledTimes(2);
});

test.each<[boolean, unknown]>([
  [true, new Error("D1_ERROR: Network connection lost.")],
  [true, new Error("Internal error while starting up D1 DB storage caused object to be reset.")],
  [true, new Error("D1 DB reset because its code was updated.")],
  [true, new Error("Cannot resolve D1 DB due to transient issue on remote node.")],
  [true, new Error("D1 DB is overloaded. Requests queued for too long.")],
  [true, new Error("D1 DB exceeded its memory limit and was reset.")],
  [true, new Error("Failed", { cause: new Error("D1_ERROR: Network connection lost.") })],
  [false, new Error("no such table: sign_ups")],
  [false, new Error("Failed", { cause: "Network connection lost." })],
])("an error is transient: %s for %s", (passes, error) => {
  expect(isTransient(error)).toBe(passes);
});
