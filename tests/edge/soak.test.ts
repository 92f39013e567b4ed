import { expect, test } from "vitest";
import { formatReport, soak } from "../bench/soak-run";

test("C9, D1: under load, with an upstream that fails in every way, each accepted sign-up exists once and none is lost", async () => {
  const report = await soak({ seconds: 8, signUpsPerSecond: 1.5, failing: 0.4, seed: 20_250_814 });
  expect(report.violations, formatReport(report)).toEqual([]);
  expect(report.accepted).toBe(12);
  expect(Object.keys(report.mishaps).length).toBeGreaterThan(4);
  expect(report.posts).toBeGreaterThan(report.signUps);
});
