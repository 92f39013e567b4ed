/** What a soak run does. */
export type SoakPlan = {
  seconds: number;
  signUpsPerSecond: number;
  /** The part of the calls to the API that go wrong, from 0 to 1. */
  failing: number;
  /** The same seed makes the same calls go wrong in the same way. */
  seed: number;
  /** How long the site waits for the API, in milliseconds. */
  deadlineMs: number;
  /** How long a visitor reads the notice before the form is sent again, in milliseconds. */
  pauseMs: number;
};

type Measured = {
  plan: SoakPlan;
  signUps: number;
  accepted: number;
  /** Visitors who gave up after {@link ATTEMPTS} attempts. */
  givenUp: number;
  /** Forms sent, retries included. */
  posts: number;
  /** How the site answered them: status and number. */
  answers: Record<string, number>;
  /** What went wrong between the site and the API: kind and number. */
  mishaps: Record<string, number>;
  /** Milliseconds from sending a form to its answer. */
  latency: { median: number; p95: number; max: number };
  /** Bytes of the isolate's heap after a collection: after the warm-up, at each fifth of the time. */
  heap: number[];
  lost: number;
  twice: number;
  serverErrors: number;
  redirectsFollowed: number;
};

export type SoakReport = Measured & { violations: string[] };

export const ATTEMPTS = 12;
/** How much the heap may grow between the first and the second half: caches fill, leaks do not stop. */
const MAX_HEAP_GROWTH = 2 * 1024 * 1024;

/** A sentence for each thing that may not happen and did. */
export function violationsOf(measured: Measured): string[] {
  const { lost, twice, givenUp, answers, serverErrors, redirectsFollowed, heap } = measured;
  const violations: string[] = [];
  const growth = Math.min(...heap.slice(-2)) - Math.max(...heap.slice(0, 3));
  if (lost > 0) violations.push(`${lost} accepted sign-ups do not exist at the API.`);
  if (twice > 0) violations.push(`${twice} sign-ups exist more than once.`);
  if (givenUp > 0) violations.push(`${givenUp} visitors got no answer in ${ATTEMPTS} attempts.`);
  if (answers["500"]) violations.push(`${answers["500"]} forms were answered 500.`);
  if (serverErrors > 0) violations.push(`${serverErrors} unexpected errors were logged.`);
  if (redirectsFollowed > 0) violations.push(`${redirectsFollowed} redirects were followed.`);
  if (growth > MAX_HEAP_GROWTH) violations.push(`The heap grew by ${megabytes(growth)}.`);
  return violations;
}

/** The report as a table for the terminal. */
export function formatReport(report: SoakReport): string {
  const { plan, latency } = report;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([key, number]) => `${number} × ${key}`)
      .join(", ");
  const milliseconds = (value: number) => `${Math.round(value)} ms`;
  const lines = [
    ["load", `${plan.signUpsPerSecond} sign-ups a second for ${plan.seconds} s, seed ${plan.seed}`],
    ["the API fails", `${plan.failing * 100} %: ${list(report.mishaps)}`],
    ["sign-ups", String(report.signUps)],
    ["accepted", String(report.accepted)],
    ["given up", String(report.givenUp)],
    ["forms sent", `${report.posts}: ${list(report.answers)}`],
    ["answered in", `${milliseconds(latency.median)} median, ${milliseconds(latency.p95)} p95`],
    ["slowest", `${milliseconds(latency.max)} (the API's deadline is ${plan.deadlineMs} ms)`],
    ["heap", report.heap.map(megabytes).join(" → ")],
    ["lost", String(report.lost)],
    ["twice", String(report.twice)],
  ];
  return lines.map(([name = "", value]) => `${name.padEnd(16)} │ ${value}`).join("\n");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
