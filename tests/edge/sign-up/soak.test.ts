import { expect, test } from "vitest";
import { formatReport } from "../../soak/report";
import { soak } from "../../soak/run";

test("under load, with an API that fails in every way, each accepted sign-up exists once and none is lost [C9] [D1]", async () => {
  const report = await soak({
    seconds: 4,
    signUpsPerSecond: 2,
    failing: 0.5,
    seed: 20_250_814,
    deadlineMs: 4000,
    pauseMs: 500,
  });
  expect(report.violations, formatReport(report)).toEqual([]);
  expect(report.accepted).toBe(8);
  expect(Object.keys(report.mishaps).length).toBeGreaterThan(2);
  expect(report.posts).toBeGreaterThan(report.signUps);
}, 300_000);
