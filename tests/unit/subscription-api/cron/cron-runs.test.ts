import { expect, test, vi } from "vitest";
import { cronRunsIn } from "../../../../functions/subscription-api/cron-runs";
import { stopClock } from "../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../support/api-in-process/database";

stopClock(Date.parse("2026-11-22T12:00:00.000Z"));

test("the time of the last cron run is stored, and when the first could have happened [W3]", async () => {
  const { db, rows } = databaseInMemory();
  rows("UPDATE cron_runs SET created_at = '2026-01-01T00:00:00.000Z'");
  const runs = cronRunsIn(db);
  expect(await runs.latest()).toEqual({ ran_at: null, stripe: null, created_at: "2026-01-01T00:00:00.000Z" });
  await runs.record();
  vi.setSystemTime("2026-11-22T12:01:00.000Z");
  expect(await runs.latest()).toMatchObject({ ran_at: "2026-11-22T12:00:00.000Z" });
  await runs.record();
  expect(await runs.latest()).toMatchObject({ ran_at: "2026-11-22T12:01:00.000Z" });
  rows("DELETE FROM cron_runs");
  await expect(runs.latest()).rejects.toThrow();
});
