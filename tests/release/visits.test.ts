import { afterAll, expect, test } from "vitest";
import { CARDS, deliver, setupEvent } from "../support/stripe/set-up-card";
import { eventOf } from "../support/stripe/stripe-events";
import { add, countsOf, only } from "../support/visitors/funnel";
import { nonceIn } from "../support/visitors/site-visitor";
import { startStack } from "../support/visitors/visited-site";
import { enterCard, rows, stripeAt } from "../support/visitors/visitor";

/* What is counted, beside what the visitors did and what the API's database has. */

const BROWSER = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
const BOT = { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" };

const MINI = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const LITE = "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220";
const STANDARD = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
const CARD_WHOSE_CHARGES_FAIL = "4000000000000341";

const { site, api, stripe, visitor, dispose } = await startStack();
afterAll(dispose);

/** What the visitors did, as they themselves count it. */
const seen: Record<string, number> = {};
const secrets: string[] = [];

async function visitAsProgram(): Promise<void> {
  const ahead = { ...BROWSER, "Sec-Purpose": "prefetch;prerender" };
  for (const path of ["/pricing", `/subscription/${MINI}`]) {
    await visitor.get(path, BOT);
    await visitor.head(path, BROWSER);
    await visitor.get(path, ahead);
    await visitor.get(path);
  }
  await visitor.get("/pricing.md", BROWSER);
}

async function lookAtPrices(): Promise<void> {
  const page = await visitor.get("/pricing", BROWSER);
  const again = await visitor.get("/pricing", { ...BROWSER, "If-None-Match": page.headers.get("ETag") ?? "" });
  expect([page.status, again.status]).toEqual([200, 304]);
  add(seen, "plan_viewed none none", 2);
}

async function openForm(path: string, plan: string, headers: Record<string, string> = {}): Promise<string> {
  const page = await visitor.get(path, { ...BROWSER, ...headers });
  expect(page.status).toBe(200);
  add(seen, `form_opened ${plan} none`);
  return nonceIn(page);
}

/** A form that is refused, then sent twice at once; the card step with a reload and a way back; and cards. */
async function signUp(plan: string, ...cards: string[]): Promise<void> {
  const path = `/subscription/${plan}`;
  const email = `funnel-${crypto.randomUUID()}@example.com`;
  const form = { package_id: plan, form_nonce: await openForm(path, plan), email };
  expect((await visitor.submit({ ...form, zipCode: "x", city: "" }, BROWSER, path)).status).toBe(422);
  add(seen, `form_refused ${plan} none`);
  for (const field of ["zipCode", "city"]) add(seen, `field_refused ${plan} ${field}`);

  const post = () => visitor.submit(form, BROWSER, path);
  const [accepted] = await Promise.all([post(), post()]);
  // Two at the same moment: the API may answer one that the other is in progress.
  const { cookie } = accepted.status === 303 ? accepted : await post();
  const first = await visitor.get(path, { ...BROWSER, Cookie: cookie });
  add(seen, `card_shown ${plan} none`);
  const session = { ...BROWSER, Cookie: first.cookie };
  await visitor.get(path, session);
  const editing = await visitor.post("intent=edit", session, path);
  await openForm(path, plan, { Cookie: editing.cookie });

  const secret = /seti_\w+_secret_\w+/.exec(first.body)?.[0] ?? "";
  for (const card of cards) await enterCard(stripe.url, secret, card);
  if (cards.length === 0) return;
  secrets.push(secret);
  const done = await visitor.post("intent=card-set-up", session, path);
  for (let reload = 0; reload < 2; reload += 1) await visitor.get(path, { ...BROWSER, Cookie: done.cookie });
}

const one = async (sql: string) => Number(Object.values((await rows(api, sql))[0] ?? {})[0]);

/** What the API's database says of the same steps. */
async function countsInDatabase(): Promise<Record<string, number>> {
  const steps = {
    accepted: "count(stripe_setup_intent_id)",
    declined: "sum(declined_cards)",
    set_up: "count(trial_end)",
    trial: "sum((SELECT count(*) FROM outbox WHERE sign_up_id = sign_ups.id AND kind = 'trial-started'))",
    paid: "count(paid_at)",
  };
  const tally: Record<string, number> = {};
  for (const [step, value] of Object.entries(steps)) {
    const sql = `SELECT coalesce(package_id, 'none') AS package, ${value} AS n FROM sign_ups GROUP BY package_id`;
    for (const { package: name, n } of await rows(api, sql)) add(tally, `${step} ${name} none`, Number(n));
  }
  return tally;
}

test("the funnel's counts match the visits and the database, despite bots, reloads, the back button and repeated events [W2]", async () => {
  await visitAsProgram();
  await lookAtPrices();
  await openForm("/subscription", "none");
  await openForm(`/subscription/${crypto.randomUUID()}`, "other");
  await signUp(MINI);
  await signUp(LITE, CARDS.visa);
  await signUp(STANDARD, CARDS.declined, CARDS.visa);
  await signUp(STANDARD, CARD_WHOSE_CHARGES_FAIL);
  for (const secret of secrets) {
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", secret))).toBe(200);
  }
  await expect.poll(() => one("SELECT count(*) FROM sign_ups WHERE status = 'trialing'")).toBe(secrets.length);
  const declined = "SELECT count(*) FROM stripe_events WHERE type = 'setup_intent.setup_failed'";
  await expect.poll(() => one(declined)).toBe(1);

  // The trials' ends, and an hour later their charges.
  const body = new URLSearchParams({ seconds: String(6 * 86_400) });
  await fetch(`${stripe.url}/dashboard`, { method: "POST", body });
  const ended = "SELECT count(*) FROM sign_ups WHERE paid_at IS NOT NULL OR status IN ('past_due', 'canceled')";
  await expect.poll(() => one(ended)).toBe(secrets.length);
  const invoices = await stripeAt(stripe).invoices.list({ status: "paid", limit: 100 });
  for (const invoice of invoices.data) expect(await deliver(api, eventOf("invoice.paid", invoice))).toBe(200);

  const inDatabase = await countsInDatabase();
  const stepsInDatabase = Object.keys(inDatabase).map((name) => name.split(" ")[0] ?? "");
  await expect.poll(() => only(countsOf(site, api), ...stepsInDatabase)).toEqual(inDatabase);
  expect(only(countsOf(site), "plan_viewed", "form_opened", "form_refused", "field_refused", "card_shown")).toEqual(
    seen,
  );
  const steps = new Set(Object.keys(countsOf(site, api)).map((name) => name.split(" ")[0]));
  expect(steps.size).toBe(10);
});
