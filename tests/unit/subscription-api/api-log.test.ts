import { expect, test, vi } from "vitest";
import { log, withRequestId } from "../../../functions/subscription-api/log";

test("a log line has its level, event and fields, and the ID of the request that caused it", async () => {
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
