import { setTimeout as sleep } from "node:timers/promises";
import { type Mishap, startFaultInjector } from "../support/fault-injector";
import {
  answersNothing,
  answersWith,
  closesWithoutAnswer,
  type Fault,
  neverAnswers,
  redirects,
  resets,
  sendsAnEndlessBody,
  sendsAShortBody,
  stallsInTheBody,
} from "../support/faults";
import { nonceIn, siteVisitor } from "../support/site-visitor";
import { startUpstream } from "../support/upstream";
import { rows } from "../support/visitor";
import { type RunningWorker, startBackend, startSite } from "../support/workers";
import { heapOf } from "./memory";

export interface SoakPlan {
  seconds: number;
  signUpsPerSecond: number;
  /** The part of the calls to the API that go wrong, from 0 to 1. */
  failing: number;
  /** The same seed makes the same calls go wrong in the same way. */
  seed: number;
}

export interface SoakReport {
  plan: SoakPlan;
  signUps: number;
  accepted: number;
  /** Visitors who gave up after {@link ATTEMPTS} attempts. */
  givenUp: number;
  /** Forms sent, retries included. */
  posts: number;
  /** How the site answered them: status and number. */
  answers: Record<string, number>;
  /** What went wrong upstream: kind and number. */
  mishaps: Record<string, number>;
  /** Milliseconds from sending a form to its answer. */
  latency: { median: number; p95: number; max: number };
  /** Bytes of the isolate's heap after a collection: after the warm-up, at each fifth of the time. */
  heap: number[];
  lost: number;
  twice: number;
  violations: string[];
}

/** Well above what the API needs on a busy machine: its passwords cost a lot of work. */
const API_TIMEOUT_MS = 4000;
const ATTEMPTS = 12;
/** How much the heap may grow between the first and the second half: caches fill, leaks do not stop. */
const MAX_HEAP_GROWTH = 2 * 1024 * 1024;

/** Visitors sign up at a fixed rate, whatever becomes of those before them, and send a failed form again unchanged. */
export async function soak(plan: SoakPlan): Promise<SoakReport> {
  const { api, stripe, dispose } = await startBackend();
  const elsewhere = await startUpstream();
  const injector = await startFaultInjector(api.url);
  const site = await startSite({
    vars: {
      SUBSCRIPTION_API_URL: injector.url,
      SUBSCRIPTION_API_TIMEOUT_MS: String(API_TIMEOUT_MS),
      STRIPE_JS_URL: `${stripe.url}/stripe.js`,
    },
    miniflare: { inspectorPort: 0 },
  });
  const mishaps: Record<string, number> = {};
  const random = randomFrom(plan.seed);
  const choose = (): Mishap | undefined => {
    if (random() >= plan.failing) return undefined;
    const [name, fault] = pick(faultsTo(elsewhere.url), random());
    const commits = random() < 0.5;
    const kind = `${name}${commits ? ", work done" : ""}`;
    mishaps[kind] = (mishaps[kind] ?? 0) + 1;
    return { fault, commits };
  };

  // Everything is compiled and every cache filled before anything is measured.
  await Promise.all(Array.from({ length: 5 }, (_, index) => signUp(site, `warm-up-${index}@example.com`)));
  injector.decide(choose);
  const heap = [await heapOf(site)];
  const total = Math.max(1, Math.round(plan.seconds * plan.signUpsPerSecond));
  const started = performance.now();
  const visits: Promise<Visit>[] = [];
  for (let index = 0; index < total; index += 1) {
    await sleep(Math.max(0, started + (index * 1000) / plan.signUpsPerSecond - performance.now()));
    visits.push(signUp(site, `visitor-${index}@example.com`));
    if ((index + 1) % Math.ceil(total / 5) === 0) heap.push(await heapOf(site));
  }
  const done = await Promise.all(visits);
  heap.push(await heapOf(site));

  const query = () => rows(api, "SELECT email, count(*) AS times FROM sign_ups GROUP BY email");
  // Miniflare's own connection to the database was not used for long, and may be closed just when it is used again.
  const made = await query().catch(query);
  const times = new Map(made.map(({ email, times: count }) => [String(email), Number(count)]));
  const serverErrors = site.logs.filter(({ event }) => event === "unexpected").length;
  await Promise.all([site.dispose(), injector.dispose(), dispose()]);
  elsewhere.dispose();

  const posts = done.flatMap(({ answers }) => answers);
  const latencies = posts.map(({ ms }) => ms).sort((a, b) => a - b);
  const report: SoakReport = {
    plan,
    signUps: done.length,
    accepted: done.filter(({ accepted }) => accepted).length,
    givenUp: done.filter(({ accepted }) => !accepted).length,
    posts: posts.length,
    answers: count(posts.map(({ status }) => String(status))),
    mishaps,
    latency: { median: at(latencies, 0.5), p95: at(latencies, 0.95), max: at(latencies, 1) },
    heap,
    lost: done.filter(({ accepted, email }) => accepted && !times.has(email)).length,
    twice: [...times.values()].filter((number) => number > 1).length,
    violations: [],
  };
  const growth = Math.min(...heap.slice(-2)) - Math.max(...heap.slice(0, 3));
  if (report.lost > 0) report.violations.push(`${report.lost} accepted sign-ups do not exist upstream.`);
  if (report.twice > 0) report.violations.push(`${report.twice} sign-ups exist more than once.`);
  if (report.givenUp > 0) report.violations.push(`${report.givenUp} visitors got no answer in ${ATTEMPTS} attempts.`);
  if (report.answers["500"]) report.violations.push(`${report.answers["500"]} forms were answered 500.`);
  if (serverErrors > 0) report.violations.push(`${serverErrors} unexpected errors were logged.`);
  if (elsewhere.calls.length > 0) report.violations.push(`${elsewhere.calls.length} redirects were followed.`);
  if (growth > MAX_HEAP_GROWTH) report.violations.push(`The heap grew by ${megabytes(growth)}.`);
  return report;
}

interface Visit {
  email: string;
  accepted: boolean;
  answers: { status: number; ms: number }[];
}

/** One visitor: opens the form, fills it in once, and sends it until it is accepted. */
async function signUp(site: RunningWorker, email: string): Promise<Visit> {
  const visitor = siteVisitor(site);
  const visit: Visit = { email, accepted: false, answers: [] };
  let form_nonce = await visitor.nonce();
  while (!visit.accepted && visit.answers.length < ATTEMPTS) {
    const started = performance.now();
    const answer = await visitor.submit({ email, form_nonce });
    visit.answers.push({ status: answer.status, ms: performance.now() - started });
    if (answer.status === 303) {
      const { body } = await visitor.get("/subscription", { Cookie: answer.cookie });
      visit.accepted = /seti_\w+_secret_\w+/.test(body);
    } else {
      form_nonce = nonceIn(answer);
      // As long as it takes to read the notice.
      await sleep(1000);
    }
  }
  return visit;
}

function faultsTo(elsewhere: string): [name: string, fault: Fault][] {
  return [
    ["never answers", neverAnswers],
    ["stalls in the body", stallsInTheBody],
    ["resets", resets],
    ["closes", closesWithoutAnswer],
    ["short body", sendsAShortBody],
    ["endless body", sendsAnEndlessBody()],
    ...[301, 307, 308].map((status): [string, Fault] => [
      `redirect ${status}`,
      redirects(status, `${elsewhere}/subscription`),
    ]),
    ["HTML", answersWith(200, "<html>", "text/html")],
    ["204", answersNothing],
    ["half a JSON", answersWith(200, "{")],
    ["no secret", answersWith(200, "{}")],
    ...[400, 401, 403, 404, 418, 429, 500, 502, 503, 504].map((status): [string, Fault] => [
      `status ${status}`,
      answersWith(status, "{}"),
    ]),
  ];
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(items: T[], random: number): T {
  const item = items[Math.floor(random * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from");
  return item;
}

function count(keys: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** The value at a part of a sorted list: 0.5 is its median. */
function at(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
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
    ["upstream fails", `${plan.failing * 100} %: ${list(report.mishaps)}`],
    ["sign-ups", String(report.signUps)],
    ["accepted", String(report.accepted)],
    ["given up", String(report.givenUp)],
    ["forms sent", `${report.posts}: ${list(report.answers)}`],
    ["answered in", `${milliseconds(latency.median)} median, ${milliseconds(latency.p95)} p95`],
    ["slowest", `${milliseconds(latency.max)} (the API's deadline is ${API_TIMEOUT_MS} ms)`],
    ["heap", report.heap.map(megabytes).join(" → ")],
    ["lost upstream", String(report.lost)],
    ["twice upstream", String(report.twice)],
  ];
  return lines.map(([name = "", value]) => `${name.padEnd(16)} │ ${value}`).join("\n");
}
