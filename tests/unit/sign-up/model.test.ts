import { expect, onTestFinished, test, vi } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../../app/signup/notices";
import { OTHER_PLAN, PLAN } from "../../support/site-in-process/site-context";
import { fields, PASSWORD } from "../../support/visitors/site-visitor";
import { type Fault, type Form, type Tab, type World, worldOf } from "./model-world";

/*
 * Random visitors over the site's loader and action, the API and the model of Stripe in one process: two browsers with two
 * tabs each, two plans, two companies, lost answers, blocked cookies, declined cards, the bank, a link to the other browser,
 * time. After each step the page is true; at the end every open page has a way on.
 */

const COMPANIES = ["Engines Ltd", "Difference Inc"] as const;
const STEPS_OF_A_SEQUENCE = 24;
/** More than the longest way takes: form, card, canceled sign-up, form, card, and the pages between. */
const MAX_MOVES = 14;

const pathOf = (plan: string) => `/subscription/${plan}`;

/** Subscriptions at Stripe, and the companies of the API's sign-ups with a trial. */
function trialsOf({ api }: World, email: string) {
  const customers = api.model.all("customer").filter((customer) => customer.email === email);
  const rows = api.rows("SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
  return {
    subscriptions: customers.flatMap(({ id }) => api.model.all("subscription", id)).length,
    companies: rows.map(({ company_name }) => String(company_name)),
  };
}

/** Opens a page, or posts a form. Whatever is shown is true, and never another sign-up's name or a password. */
async function open(world: World, tab: Tab, path: string, form?: Form): Promise<void> {
  tab.page = await tab.browser.open(path, form);
  const { kind, email, company, key, notice, text, setupIntent } = tab.page;
  if (key && email) world.owners.set(key, email);
  tab.email = email || (world.owners.get(key) ?? tab.email);
  expect(text).not.toContain(PASSWORD);
  expect([...COMPANIES, ...world.emails].filter((name) => text.includes(name))).toEqual(email ? [company, email] : []);
  const [row] = world.api.rows("SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", setupIntent);
  if (row && email) expect(row).toMatchObject({ email, company_name: company });
  if (kind !== "done" && notice !== SIGNUP_FINISHED) return;
  const { subscriptions, companies } = trialsOf(world, tab.email);
  expect([kind, subscriptions, companies]).toEqual([kind, 1, company ? [company] : companies]);
}

async function send(world: World, tab: Tab, fault?: Fault): Promise<void> {
  const { random, emails, network } = world;
  const own = { package_id: tab.page.plan, email: random.oneOf(emails), company_name: random.oneOf(COMPANIES) };
  tab.sent = { ...fields, ...own };
  network.fault = fault;
  await sendAgain(world, tab);
  network.fault = undefined;
}

/** A form that is sent leads to its own sign-up, or comes back as it was. */
async function sendAgain(world: World, tab: Tab, form = tab.sent): Promise<void> {
  tab.email = form.email ?? "";
  await open(world, tab, pathOf(form.package_id ?? ""), form);
  const { kind, email, company } = tab.page;
  if (kind !== "waiting") expect([email, company]).toEqual([form.email, form.company_name]);
}

async function enterCard({ api, began, deliver }: World, { page, email }: Tab, works: boolean): Promise<void> {
  if (works && api.model.get(page.setupIntent)?.status === "requires_payment_method") began.add(email);
  api.model.confirm(page.setupIntent, crypto.randomUUID(), !works);
  await deliver();
}

async function pay(world: World, tab: Tab, works: boolean): Promise<void> {
  await enterCard(world, tab, works);
  await open(world, tab, tab.page.returnPath);
}

/** Opens a card's link in a tab of the other browser, and continues there or not. */
async function openLink(world: World, tab: Tab): Promise<void> {
  const [first, second, third, fourth] = world.tabs;
  const there = world.random.oneOf(tab.browser === first.browser ? [third, fourth] : [first, second]);
  there.email = tab.email;
  await open(world, there, tab.page.link ?? "");
  const continues = there.page.kind === "ready" && world.random.chance(0.5);
  if (continues) await open(world, there, there.page.path, { intent: "resume" });
}

async function decline(world: World, tab: Tab, cards: 1 | 5): Promise<void> {
  for (let nth = 1; nth < cards; nth += 1) await enterCard(world, tab, false);
  await pay(world, tab, false);
}

async function wait({ api, random, deliver, tabs }: World): Promise<void> {
  const hours = random.oneOf([1, 12, 25]);
  vi.setSystemTime(Date.now() + hours * 60 * 60 * 1000);
  // Nobody sends a form again a day later.
  if (hours > 24) for (const tab of tabs) tab.sent = {};
  await api.runScheduled();
  await deliver();
}

function changeCookies({ random }: World, { browser }: Tab): void {
  browser.jar.clear();
  browser.keepsCookies = random.chance(0.5);
}

type Step = [name: string, isOn: (tab: Tab) => unknown, run: (world: World, tab: Tab) => unknown];
const anywhere = () => true;
const onForm = ({ page }: Tab) => page.kind === "form";
const onCard = ({ page }: Tab) => page.kind === "card";
const START_OVER = { intent: "start-over" };

/** What visitors and the network do, in any order. */
const STEPS: [Step, ...Step[]] = [
  ["open a plan", anywhere, (world, tab) => open(world, tab, pathOf(world.random.oneOf([PLAN, OTHER_PLAN])))],
  ["reload", anywhere, (world, tab) => open(world, tab, tab.page.path)],
  ["send the form", onForm, (world, tab) => send(world, tab)],
  ["send the form, which does not reach the API", onForm, (world, tab) => send(world, tab, "refused")],
  ["send the form, whose answer is lost", onForm, (world, tab) => send(world, tab, "answer lost")],
  ["send the last form again", ({ sent }) => sent.email, (world, tab) => sendAgain(world, tab)],
  ["edit details", onCard, (world, tab) => open(world, tab, `${tab.page.path.split("?")[0]}?edit`)],
  ["start over", onCard, (world, tab) => open(world, tab, tab.page.path, { ...START_OVER, sign_up: tab.page.key })],
  ["enter a card", onCard, (world, tab) => pay(world, tab, true)],
  ["enter a card and leave", onCard, (world, tab) => enterCard(world, tab, world.random.chance(0.5))],
  ["enter a card that is declined", onCard, (world, tab) => decline(world, tab, 1)],
  ["enter five cards that are declined", onCard, (world, tab) => decline(world, tab, 5)],
  ["open the link in the other browser", ({ page }) => page.link, openLink],
  ["lose the cookies, and block or allow them", anywhere, changeCookies],
  ["wait some hours", anywhere, wait],
];

/** By what each page offers, a visitor goes on to a success or to an end that is true. */
async function goOn(world: World, tab: Tab, moves = 0): Promise<void> {
  const { kind, notice, path, plan, email, company } = tab.page;
  if (kind === "done" || notice === SIGNUP_FINISHED) return;
  if (notice?.message === DUPLICATE && trialsOf(world, tab.email).subscriptions === 1) return;
  if (moves === MAX_MOVES) throw new Error(`There is no way on from ${kind}`);
  if (kind === "card") await pay(world, tab, true);
  else if (kind === "waiting") await open(world, tab, path);
  else if (kind === "form") {
    tab.browser.keepsCookies = true;
    const newcomer = { email: `visitor-${world.emails.length}@example.com`, company_name: COMPANIES[0] };
    // A form that is filled in needs its passwords only.
    const own = email === "" ? newcomer : { email, company_name: company };
    if (email === "") world.emails.push(newcomer.email);
    await sendAgain(world, tab, { ...fields, ...own, package_id: plan });
  } else if (kind !== "ready" || notice === SIGNUP_CANCELED) await open(world, tab, path.split("?")[0] ?? "");
  else {
    tab.browser.keepsCookies = true;
    if (notice) await open(world, tab, path);
    await open(world, tab, path, { intent: "resume" });
  }
  return goOn(world, tab, moves + 1);
}

/** A sequence that follows from its seed. */
async function runSequence(seed: number): Promise<void> {
  const world = await worldOf(seed);
  const way = [`seed ${seed}`];
  try {
    for (let taken = 0; taken < STEPS_OF_A_SEQUENCE; ) {
      const [tab, [name, isOn, run]] = [world.random.oneOf(world.tabs), world.random.oneOf(STEPS)];
      if (!isOn(tab)) continue;
      taken += 1;
      way.push(`${name} [${world.tabs.indexOf(tab)}: ${tab.page.kind}]`);
      await run(world, tab);
    }
    for (const tab of world.tabs) {
      way.push(`way on [${world.tabs.indexOf(tab)}: ${tab.page.kind}]`);
      await goOn(world, tab);
    }
    // One trial for each email address that had a working card, and no other subscription.
    for (const email of world.emails) {
      const { subscriptions, companies } = trialsOf(world, email);
      const count = world.began.has(email) ? 1 : 0;
      expect([email, subscriptions, companies.length]).toEqual([email, count, count]);
    }
  } catch (error) {
    if (error instanceof Error) error.message = `${way.join("\n")}\n${error.message}`;
    throw error;
  }
}

const { SEED = "101", SEQUENCES = "60" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (let nth = 0; nth < Number(SEQUENCES); nth += 1) await runSequence(Number(SEED) + nth);
}, 180_000);
