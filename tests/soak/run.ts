import { setTimeout as sleep } from "node:timers/promises";
import { mulberry32 } from "../support/random/mulberry32";
import { nonceIn, siteVisitor } from "../support/visitors/site-visitor";
import { rows } from "../support/visitors/visitor";
import {
  answersNothing,
  answersWith,
  type Behaviour,
  closesWithoutAnswer,
  neverAnswers,
  passesOnTo,
  redirects,
  resets,
  sendsAnEndlessBody,
  sendsAShortBody,
  stallsInTheBody,
  startUpstream,
} from "../support/workers/upstream";
import { type RunningWorker, startBackend, startSite } from "../support/workers/workers";
import { heapOf } from "./heap";
import { ATTEMPTS, type SoakPlan, type SoakReport, violationsOf } from "./report";

/** How many sign-ups there are before anything is measured: everything is compiled then, and every cache filled. */
const WARM_UP = 5;

/** Visitors sign up at a fixed rate, whatever becomes of those before them, and send a failed form again unchanged. */
export async function soak(plan: SoakPlan): Promise<SoakReport> {
  const { api, stripe, dispose } = await startBackend();
  const elsewhere = await startUpstream();
  const front = await startUpstream();
  const site = await startSite({
    vars: {
      SUBSCRIPTION_API_URL: front.url,
      SUBSCRIPTION_API_TIMEOUT_MS: String(plan.deadlineMs),
      STRIPE_JS_URL: `${stripe.url}/stripe.js`,
      STRIPE_API_URL: stripe.url,
    },
    miniflare: { inspectorPort: 0 },
  });
  const mishaps: Record<string, number> = {};
  const random = mulberry32(plan.seed);
  /** Passes a call on, or goes wrong: before the work is done or after it. */
  const unreliably: Behaviour = (response, call) => {
    if (random() >= plan.failing) return passesOnTo(api.url)(response, call);
    const [name, fault] = pick(faultsTo(elsewhere.url), random());
    const isDone = random() < 0.5;
    const kind = `${name}${isDone ? ", work done" : ""}`;
    mishaps[kind] = (mishaps[kind] ?? 0) + 1;
    return (isDone ? passesOnTo(api.url, fault) : fault)(response, call);
  };

  front.answers(passesOnTo(api.url));
  const warmUp = Array.from({ length: WARM_UP }, (_, index) => signUp(site, `warm-up-${index}@example.com`, plan));
  await Promise.all(warmUp);
  front.answers(unreliably);
  const heap = [await heapOf(site)];
  const total = Math.max(1, Math.round(plan.seconds * plan.signUpsPerSecond));
  const started = performance.now();
  const visits: Promise<Visit>[] = [];
  for (let index = 0; index < total; index += 1) {
    await sleep(Math.max(0, started + (index * 1000) / plan.signUpsPerSecond - performance.now()));
    visits.push(signUp(site, `visitor-${index}@example.com`, plan));
    if ((index + 1) % Math.ceil(total / 5) === 0) heap.push(await heapOf(site));
  }
  const done = await Promise.all(visits);
  heap.push(await heapOf(site));

  const query = () => rows(api, "SELECT email, count(*) AS times FROM sign_ups GROUP BY email");
  // Miniflare's own connection to the database was not used for long, and may be closed just when it is used again.
  const made = await query().catch(query);
  const times = new Map(made.map(({ email, times: count }) => [String(email), Number(count)]));
  const serverErrors = site.logs.filter(({ event }) => event === "unexpected").length;
  await Promise.all([site.dispose(), dispose()]);
  for (const upstream of [front, elsewhere]) upstream.dispose();

  const posts = done.flatMap(({ answers }) => answers);
  const latencies = posts.map(({ ms }) => ms).sort((a, b) => a - b);
  const measured = {
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
    serverErrors,
    redirectsFollowed: elsewhere.calls.length,
  };
  return { ...measured, violations: violationsOf(measured) };
}

interface Visit {
  email: string;
  accepted: boolean;
  answers: { status: number; ms: number }[];
}

/** One visitor: opens the form, fills it in once, and sends it until it is accepted. */
async function signUp(site: RunningWorker, email: string, { pauseMs }: SoakPlan): Promise<Visit> {
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
      await sleep(pauseMs);
    }
  }
  return visit;
}

function faultsTo(elsewhere: string): [name: string, fault: Behaviour][] {
  return [
    ["never answers", neverAnswers],
    ["stalls in the body", stallsInTheBody],
    ["resets", resets],
    ["closes", closesWithoutAnswer],
    ["short body", sendsAShortBody],
    ["endless body", sendsAnEndlessBody()],
    ...[301, 307, 308].map((status): [string, Behaviour] => [
      `redirect ${status}`,
      redirects(status, `${elsewhere}/subscription`),
    ]),
    ["HTML", answersWith(200, "<html>", "text/html")],
    ["204", answersNothing],
    ["half a JSON", answersWith(200, "{")],
    ["no secret", answersWith(200, "{}")],
    ...[400, 401, 403, 404, 418, 429, 500, 502, 503, 504].map((status): [string, Behaviour] => [
      `status ${status}`,
      answersWith(status, "{}"),
    ]),
  ];
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
