import { expect, test, vi } from "vitest";
import { runLimits } from "../../../../functions/subscription-api/cron/run-limits";
import { MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";

stopClock();

test.each([
  { calls: 799, after: 4 * MINUTE - 1, goesOn: true },
  { calls: 800, after: 0, goesOn: false },
  { calls: 0, after: 4 * MINUTE, goesOn: false },
])("after $calls calls and $after ms a run goes on: $goesOn", ({ calls, after, goesOn }) => {
  const limits = runLimits();
  limits.count(calls - 1);
  limits.count(1);
  vi.setSystemTime(NOW + after);
  expect(limits.hasLeft()).toBe(goesOn);
});
