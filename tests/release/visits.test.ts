import { beforeAll, expect, test } from "vitest";
import { CARDS, deliver, setupEvent } from "../support/stripe/set-up-card";
import { eventOf } from "../support/stripe/stripe-events";
import { add, countsInDatabase, countsOf, only } from "../support/visitors/funnel";
import { type Answer, nonceIn, type SiteVisitor } from "../support/visitors/site-visitor";
import { startStack } from "../support/visitors/visited-site";
import { enterCard, rows, stripeAt } from "../support/visitors/visitor";
import { FAST_API } from "../support/workers/fast-api";
import type { RunningWorker } from "../support/workers/workers";

/** FUNNEL_VISITS=10000 takes minutes on a machine of its own. */
const VISITS = Number(process.env.FUNNEL_VISITS ?? 600);
const AT_ONCE = 8;
/** What Stripe tells of hundreds at once takes its time. */
const SLOWLY = { timeout: 50 * VISITS + 15_000, interval: 500 };

const BROWSER = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
const BOT = { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" };

const PLANS = [
  "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
  "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
  "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
];
const CARD_WHOSE_CHARGES_FAIL = "4000000000000341";

/** Always the same sequence (https://en.wikipedia.org/wiki/Lehmer_random_number_generator). */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

let site: RunningWorker;
let api: RunningWorker;
let stripe: RunningWorker;
let visitor: SiteVisitor;
beforeAll(async () => {
  const stack = await startStack(FAST_API);
  ({ site, api, stripe, visitor } = stack);
  return stack.dispose;
});

/** What the visitors did, as they themselves count it. */
const seen: Record<string, number> = {};
const secrets: string[] = [];

async function visit(number: number): Promise<void> {
  const random = numbers(number * 7_919 + 1);
  for (let warm = 0; warm < 5; warm += 1) random(2);
  const kind = random(100);
  const plan = PLANS[random(PLANS.length)] ?? "";
  if (kind < 25) return visitAsProgram(plan);

  let etag = "";
  for (let view = 0; view <= random(3); view += 1) {
    const page = await visitor.get("/pricing", { ...BROWSER, ...(etag && { "If-None-Match": etag }) });
    expect([200, 304]).toContain(page.status);
    etag = page.headers.get("etag") ?? "";
    add(seen, "plan_viewed none none");
  }
  if (kind < 65) return;
  const unknown = crypto.randomUUID();
  const [path, name] =
    kind < 60
      ? ["/subscription", "none"]
      : kind < 65
        ? [`/subscription/${unknown}`, "other"]
        : [`/subscription/${plan}`, plan];
  let page = await openForm(path, name);
  for (let reload = 0; reload < random(3); reload += 1) page = await openForm(path, name);
  if (kind < 90) return;

  const fields: Record<string, string> = {
    package_id: plan,
    form_nonce: nonceIn(page),
    email: `funnel-${number}@example.com`,
  };
  if (kind < 96) {
    const refused = await visitor.submit({ ...fields, zipCode: "x", city: "" }, BROWSER, path);
    expect(refused.status).toBe(422);
    for (const word of ["form_refused none", "field_refused zipCode", "field_refused city"]) {
      const [step, field] = word.split(" ");
      add(seen, `${step} ${plan} ${field}`);
    }
  }
  if (kind < 94) return;
  await signUp({ random, fields, path, plan });
}

async function visitAsProgram(plan: string): Promise<void> {
  const ahead = { ...BROWSER, "Sec-Purpose": "prefetch;prerender" };
  for (const path of ["/pricing", `/subscription/${plan}`]) {
    await visitor.get(path, BOT);
    await visitor.head(path, BROWSER);
    await visitor.get(path, ahead);
    await visitor.get(path);
  }
  await visitor.get("/pricing.md", BROWSER);
}

async function openForm(path: string, name: string, headers: Record<string, string> = {}): Promise<Answer> {
  const page = await visitor.get(path, { ...BROWSER, ...headers });
  expect(page.status).toBe(200);
  add(seen, `form_opened ${name} none`);
  return page;
}

type SignUp = { random: (below: number) => number; fields: Record<string, string>; path: string; plan: string };

/** The form once or twice, the card step with reloads and back, and a card that is declined, good, or none. */
async function signUp({ random, fields, path, plan }: SignUp): Promise<void> {
  const post = () => visitor.submit(fields, BROWSER, path);
  const accepted = random(3) === 0 ? (await Promise.all([post(), post()]))[0] : await post();
  // Two at the same moment: the API may say of one that the other is under way.
  const { cookie } = accepted.status === 303 ? accepted : await post();
  const page = `/subscription/${plan}`;
  const first = await visitor.get(page, { ...BROWSER, Cookie: cookie });
  add(seen, `card_shown ${plan} none`);
  const session = { Cookie: first.cookie };
  for (let reload = 0; reload < random(3); reload += 1) await visitor.get(page, { ...BROWSER, ...session });
  // Back at the form, and forward again.
  if (random(4) === 0) {
    const editing = await visitor.post("intent=edit", { ...BROWSER, ...session }, page);
    await openForm(page, plan, { Cookie: editing.cookie });
  }
  const secret = /seti_\w+_secret_\w+/.exec(first.body)?.[0] ?? "";
  const card = random(4);
  if (card === 0) return;
  if (card === 1) await enterCard(stripe.url, secret, CARDS.declined);
  await enterCard(stripe.url, secret, random(5) === 0 ? CARD_WHOSE_CHARGES_FAIL : CARDS.visa);
  secrets.push(secret);
  const done = await visitor.post("intent=card-set-up", { ...BROWSER, ...session }, page);
  for (let reload = 0; reload < 2; reload += 1) await visitor.get(page, { ...BROWSER, Cookie: done.cookie });
}

const one = async (sql: string) => Number(Object.values((await rows(api, sql))[0] ?? {})[0]);

test(`equals the database after ${VISITS} visits with reloads, back and programs [W2]`, {
  retry: 0,
  timeout: 1_200_000,
}, async () => {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < VISITS) await visit(next++);
    }),
  );
  // What Stripe delivers twice, once more under another id.
  for (const secret of secrets.slice(0, 20)) {
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", secret))).toBe(200);
  }
  await expect.poll(() => one("SELECT count(*) FROM sign_ups WHERE status = 'trialing'"), SLOWLY).toBe(secrets.length);
  const declines = stripeAt(stripe).events.list({ type: "setup_intent.setup_failed", limit: 100 });
  const declined = (await declines.autoPagingToArray({ limit: 10_000 })).length;
  // One that arrives after the next card was set up is processed, and counts no more.
  await expect
    .poll(() => one("SELECT count(*) FROM stripe_events WHERE type = 'setup_intent.setup_failed'"), SLOWLY)
    .toBe(declined);

  // The trials' ends, and an hour later their charges.
  await fetch(`${stripe.url}/dashboard`, {
    method: "POST",
    body: new URLSearchParams({ seconds: String(6 * 86_400) }),
  });
  const failing = "SELECT count(*) FROM sign_ups WHERE status IN ('past_due', 'canceled')";
  await expect
    .poll(async () => (await one("SELECT count(paid_at) FROM sign_ups")) + (await one(failing)), SLOWLY)
    .toBe(secrets.length);
  const invoices = await stripeAt(stripe).invoices.list({ status: "paid", limit: 100 });
  for (const invoice of invoices.data.slice(0, 20)) {
    expect(await deliver(api, eventOf("invoice.paid", invoice))).toBe(200);
  }

  const inDatabase = await countsInDatabase(api);
  await expect
    .poll(() => only(countsOf(site, api), ...Object.keys(inDatabase).map((name) => name.split(" ")[0] ?? "")))
    .toEqual(inDatabase);
  const ofSite = only(countsOf(site), "plan_viewed", "form_opened", "form_refused", "field_refused", "card_shown");
  expect(ofSite).toEqual(seen);
  const steps = new Set(Object.keys(countsOf(site, api)).map((name) => name.split(" ")[0]));
  expect(steps.size).toBe(10);
});
