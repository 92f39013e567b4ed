import { expect, test } from "vitest";
import { funnelOf } from "../../../app/pipeline/plan-views.server";
import { contextWith, countingLimiter, recordedLog } from "../../support/site-in-process/pipeline-context";

/** Steps that one sender takes within a minute, and what of them is logged. */
async function counted(ips: string[]): Promise<object[]> {
  const { log, lines } = recordedLog();
  const works: Promise<unknown>[] = [];
  const limiter = countingLimiter(1);
  for (const ip of ips) {
    const configuration = { FUNNEL_RATE_LIMIT: limiter };
    const execution = { waitUntil: (work: Promise<unknown>) => works.push(work) };
    const funnel = funnelOf(contextWith({ configuration, ip, log, execution }));
    funnel.count("plan_viewed");
    funnel.count("field_refused", "another", "city");
    funnel.count("field_refused", "another", "state");
  }
  await Promise.all(works);
  return lines.map(([, fields]) => fields ?? {});
}

test("each client IP address counts once a minute for each step and field [H20] [W2]", async () => {
  const steps = [
    { step: "plan_viewed", package: "none", field: "none" },
    { step: "field_refused", package: "other", field: "city" },
    { step: "field_refused", package: "other", field: "state" },
  ];
  expect(await counted(Array(200).fill("192.0.2.7"))).toEqual(steps);
  expect(await counted(["2001:db8::1", "2001:db8::2"])).toEqual(steps);
  expect(await counted(["192.0.2.7", "192.0.2.8"])).toEqual([...steps, ...steps]);
});
