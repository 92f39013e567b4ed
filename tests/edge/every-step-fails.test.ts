import { afterAll, expect, it } from "vitest";
import { cheapPasswords } from "../support/cheap-passwords/build";
import { onFaultyDatabase } from "../support/faulty-database";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy";
import { allFaults, emailOf, keyOf, type PlannedFault, signUpFaults } from "../support/sign-up-faults";
import { accountWebhooks, enterCard, mails, rows, signUp, stripeAt } from "../support/visitor";
import {
  freePort,
  type RunningWorker,
  runScheduled,
  startStripeSimulator,
  startSubscriptionApi,
} from "../support/workers";

const SIGN_UPS = 200;
/** How many visitors sign up at the same time. */
const AT_ONCE = 12;

type Lane = Awaited<ReturnType<typeof startLane>>;
const started: (RunningWorker | FaultyProxy)[] = [];
afterAll(async () => {
  await Promise.all(started.map((part) => part.dispose()));
});

/** A backend in which every way between two parts, and the database, fails as planned. */
async function startLane(planOf: (index: number) => PlannedFault | undefined) {
  const faults = signUpFaults(planOf);
  const port = await freePort();
  const webhooks = await startFaultyProxy(`http://localhost:${port}`);
  const stripe = await startStripeSimulator({ webhookUrl: `${webhooks.url}/webhooks/stripe` });
  const proxy = await startFaultyProxy(stripe.url);
  const wrapper = onFaultyDatabase(faults.ofDatabase);
  const api = await startSubscriptionApi({ simulatorUrl: proxy.url, port, wrapper, ...(await cheapPasswords()) });
  webhooks.decide(faults.ofWebhook);
  proxy.decide(faults.ofRequest);
  proxy.watch(faults.learn);
  started.push(api, stripe, proxy, webhooks);
  return { api, stripe, faults };
}

/** One visitor: sends the form until it is taken, unchanged, then enters a card. Returns the refusals on the way. */
async function visit({ api, stripe }: Lane, index: number): Promise<string[]> {
  const refusals: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const answer = await signUp(api, { email: emailOf(index) }, keyOf(index));
    if (answer.status === 200) {
      const card = await enterCard(stripe.url, answer.clientSecret);
      if (card.status !== 200) throw new Error(`The card of ${index} was refused`);
      return refusals;
    }
    refusals.push(`${answer.status} ${answer.contentType} ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tries));
  }
  const failures = api.logs.filter(({ event }) => event === "request_failed").slice(-3);
  throw new Error(`Sign-up ${index} was refused each time: ${refusals.at(-1)}\n${JSON.stringify(failures, null, 2)}`);
}

async function visitAll(lane: Lane, indices: number[]): Promise<string[]> {
  const queue = [...indices];
  const refusals: string[] = [];
  const visitor = async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      refusals.push(...(await visit(lane, index)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));
  return refusals;
}

const unfinished = (api: RunningWorker) =>
  rows(
    api,
    `SELECT id, status FROM sign_ups WHERE status <> 'trialing'
     UNION ALL SELECT key, state FROM outbox WHERE state <> 'sent'`,
  );

/** Lets Stripe send its webhooks again, then lets the time pass after which the cron handler takes over. */
async function settle({ api }: Lane): Promise<void> {
  await expect
    .poll(() => unfinished(api), { timeout: 4_000 })
    .toEqual([])
    .catch(() => {});
  await expect
    .poll(
      async () => {
        const past = new Date(Date.now() - 1000).toISOString();
        await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE state = 'due'", past);
        await rows(api, "UPDATE sign_ups SET check_at = ? WHERE status IN ('pending', 'active')", past);
        await runScheduled(api);
        return unfinished(api);
      },
      { timeout: 20_000, interval: 500 },
    )
    .toEqual([]);
}

it(`${SIGN_UPS} sign-ups, each with a fault at another step, end as one trial, one mail and one account webhook each`, async () => {
  const withoutFault = await startLane(() => undefined);
  await visit(withoutFault, 0);
  await settle(withoutFault);
  await expect.poll(() => rows(withoutFault.api, "SELECT * FROM stripe_events")).toHaveLength(2);
  const steps = withoutFault.faults.stepsOf(0);
  const plans = allFaults(steps);
  expect(steps.length).toBeGreaterThan(25);
  expect(plans.length).toBeLessThanOrEqual(SIGN_UPS);

  const planOf = (index: number) => plans[index % plans.length];
  const lanes = await Promise.all([startLane(planOf), startLane(planOf)]);
  const everybody = Array.from({ length: SIGN_UPS }, (_, index) => index);
  const refusals = await Promise.all(
    lanes.map(async (lane, number) => {
      const refused = await visitAll(
        lane,
        everybody.filter((index) => index % lanes.length === number),
      );
      await settle(lane);
      return refused;
    }),
  );

  for (const refusal of refusals.flat()) {
    expect(refusal).toMatch(/^(409|500|503) application\/problem\+json /);
    expect(refusal).not.toMatch(/D1_ERROR|SQLITE_|example\.com/);
  }
  for (const [number, { api, stripe, faults }] of lanes.entries()) {
    const indices = everybody.filter((index) => index % lanes.length === number);
    // On a busy machine the cron handler takes a step along now and then that was to fail for one of them.
    expect(indices.filter((index) => !faults.hasFailed(index)).length).toBeLessThan(SIGN_UPS / 20);
    const emails = indices.map(emailOf).sort();
    const client = stripeAt(stripe);
    const customers = await client.customers.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
    const trials = await client.subscriptions.list({ limit: 100, status: "all" }).autoPagingToArray({ limit: 1000 });

    expect((await rows(api, "SELECT email FROM sign_ups ORDER BY email")).map(({ email }) => email)).toEqual(emails);
    expect(customers.map(({ email }) => email).sort()).toEqual(emails);
    const customerEmails = new Map(customers.map(({ id, email }) => [id, email]));
    expect(trials.map(({ customer }) => customerEmails.get(String(customer))).sort()).toEqual(emails);
    expect((await mails(stripe)).flatMap(({ to }) => to).sort()).toEqual(emails);
    expect((await accountWebhooks(stripe)).map(({ data }) => data.email).sort()).toEqual(emails);
  }
}, 240_000);
