import { parseArgs } from "node:util";
import { formatReport } from "./report";
import { soak } from "./run";

/*
 * `npm run soak`: sign-ups at a fixed rate, for a bounded time, against the reference API behind a front that fails. The
 * last line says whether nothing was lost, nothing is there twice, and the memory stayed flat; so does the exit code.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    rate: { type: "string", default: "1" },
    failing: { type: "string", default: "0.2" },
    seed: { type: "string", default: "1" },
  },
});

const report = await soak({
  seconds: Number(values.seconds),
  signUpsPerSecond: Number(values.rate),
  failing: Number(values.failing),
  seed: Number(values.seed),
  // Well above what the API needs on a busy machine: its passwords cost a lot of work.
  deadlineMs: 4000,
  pauseMs: 1000,
});
console.log(formatReport(report));
console.log(report.violations.length === 0 ? "No violation." : report.violations.join("\n"));
process.exitCode = report.violations.length === 0 ? 0 : 1;
