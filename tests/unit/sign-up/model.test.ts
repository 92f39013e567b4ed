import { expect, test, vi } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../../app/signup/notices";
import type { SignupStep } from "../../../app/signup/steps";
import type { Random } from "../../support/random";
import { OTHER_PLAN, PLAN, SITE_URL } from "../../support/site-in-process/site-context";
import { fields, PASSWORD } from "../../support/visitors/site-visitor";
import { type Form, type Page, type Tab, type World, worldOf } from "./model-world";

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
const intentOf = (secret: string) => secret.split("_secret_")[0] ?? "";

function pageIn({ page }: Tab): Page {
  if (!page) throw new Error("The tab is empty");
  return page;
}

function cardIn(tab: Tab): SignupStep & { step: "card" } {
  const { step } = pageIn(tab);
  if (step.step !== "card") throw new Error("The page takes no card");
  return step;
}

function oneOf<Value extends NonNullable<unknown>>(random: Random, [first, ...more]: readonly Value[]): Value {
  if (first === undefined) throw new Error("There is nothing to choose from");
  return random.oneOf([first, ...more]);
}

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
  const page = await tab.browser.open(path, form);
  tab.page = page;
  const { email, company, key = "", step } = page;
  if (key && email) world.owners.set(key, email);
  tab.email = email || (world.owners.get(key) ?? tab.email);
  expect(page.text).not.toContain(PASSWORD);
  expect(COMPANIES.filter((name) => page.text.includes(name))).toEqual(company ? [company] : []);
  expect(world.emails.filter((one) => page.text.includes(one))).toEqual(email ? [email] : []);
  if (page.kind === "card" && step.step === "card") {
    const id = intentOf(step.clientSecret);
    const [row] = world.api.rows("SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", id);
    if (row && email) expect(row).toMatchObject({ email, company_name: company });
  }
  if (page.kind !== "done" && !page.notices.includes(SIGNUP_FINISHED)) return;
  const { subscriptions, companies } = trialsOf(world, tab.email);
  expect([page.kind, subscriptions, companies]).toEqual([page.kind, 1, company ? [company] : companies]);
}

async function send(world: World, tab: Tab, fault?: "refused" | "answer lost"): Promise<void> {
  const { random, emails, faults } = world;
  const own = { package_id: pageIn(tab).plan, email: oneOf(random, emails), company_name: oneOf(random, COMPANIES) };
  tab.sent = { ...fields, ...own };
  if (fault) faults.set(own.email, fault);
  await sendAgain(world, tab);
  faults.clear();
}

/** A form that is sent leads to its own sign-up, or comes back as it was. */
async function sendAgain(world: World, tab: Tab, form = tab.sent): Promise<void> {
  if (!form) throw new Error("Nothing was sent");
  tab.email = form.email ?? "";
  await open(world, tab, pathOf(form.package_id ?? ""), form);
  const { kind, email, company } = pageIn(tab);
  if (kind !== "waiting") expect([email, company]).toEqual([form.email, form.company_name]);
}

async function enterCard({ api, began, deliver }: World, tab: Tab, works: boolean): Promise<void> {
  const intent = intentOf(cardIn(tab).clientSecret);
  if (works && api.model.get(intent)?.status === "requires_payment_method") began.add(tab.email);
  api.model.confirm(intent, crypto.randomUUID(), !works);
  await deliver();
}

async function pay(world: World, tab: Tab, works: boolean): Promise<void> {
  const { returnPath } = cardIn(tab);
  await enterCard(world, tab, works);
  await open(world, tab, returnPath);
}

/** Opens a card's link in a tab of the other browser. */
async function openLink(world: World, tab: Tab): Promise<Tab> {
  const there = oneOf(
    world.random,
    world.tabs.filter(({ browser }) => browser !== tab.browser),
  );
  there.email = tab.email;
  await open(world, there, cardIn(tab).resumeLink?.url.slice(SITE_URL.length) ?? "");
  return there;
}

type Step = [on: (page: Page | undefined, tab: Tab) => unknown, run: (world: World, tab: Tab) => unknown];
const anywhere = () => true;
const onPage = (page: Page | undefined) => page;
const onForm = (page: Page | undefined) => page?.kind === "form";
const onCard = (page: Page | undefined) => page?.kind === "card";
const onLink = (page: Page | undefined) => page?.kind === "card" && page.step.step === "card" && page.step.resumeLink;

/** What visitors and the network do, in any order. */
const STEPS: Record<string, Step> = {
  "open a plan": [anywhere, (world, tab) => open(world, tab, pathOf(oneOf(world.random, [PLAN, OTHER_PLAN])))],
  reload: [onPage, (world, tab) => open(world, tab, pageIn(tab).path)],
  "send the form": [onForm, (world, tab) => send(world, tab)],
  "send the form, which does not reach the API": [onForm, (world, tab) => send(world, tab, "refused")],
  "send the form, whose answer is lost": [onForm, (world, tab) => send(world, tab, "answer lost")],
  "send the last form again": [(_, { sent }) => sent, (world, tab) => sendAgain(world, tab)],
  "edit details": [onCard, (world, tab) => open(world, tab, `${pageIn(tab).path.split("?")[0]}?edit`)],
  "start over": [
    onCard,
    (world, tab) => open(world, tab, pageIn(tab).path, { intent: "start-over", sign_up: pageIn(tab).key ?? "" }),
  ],
  "enter a card": [onCard, (world, tab) => pay(world, tab, true)],
  "enter a card and leave": [onCard, (world, tab) => enterCard(world, tab, world.random.chance(0.5))],
  "enter five cards that are declined": [
    onCard,
    async (world, tab) => {
      for (let nth = 0; nth < 4; nth += 1) await enterCard(world, tab, false);
      await pay(world, tab, false);
    },
  ],
  "enter a card that is declined": [onCard, (world, tab) => pay(world, tab, false)],
  "open the link in the other browser": [onLink, openLink],
  "continue in the other browser": [
    onLink,
    async (world, tab) => {
      const there = await openLink(world, tab);
      const { step, path } = pageIn(there);
      if (step.step === "resume" && step.state === "ready") await open(world, there, path, { intent: "resume" });
    },
  ],
  "lose the cookies": [onPage, (_, { browser }) => browser.jar.clear()],
  "block cookies": [
    onPage,
    (_, { browser }) => {
      browser.jar.clear();
      browser.keepsCookies = !browser.keepsCookies;
    },
  ],
  "wait some hours": [
    onPage,
    async (world) => {
      vi.setSystemTime(Date.now() + oneOf(world.random, [1, 12, 25]) * 60 * 60 * 1000);
      await world.api.runScheduled();
      await world.deliver();
    },
  ],
};

/** By what each page offers, a visitor goes on to a success or to an end that is true. */
async function goOn(world: World, tab: Tab, moves = 0): Promise<void> {
  const { kind, step, notices, path, plan, email, company } = pageIn(tab);
  const isDuplicate = notices.some(({ message }) => message === DUPLICATE);
  if (kind === "done" || notices.includes(SIGNUP_FINISHED)) return;
  if (isDuplicate && trialsOf(world, tab.email).subscriptions === 1) return;
  if (moves === MAX_MOVES) throw new Error(`There is no way on from ${kind}`);
  if (kind === "card") await pay(world, tab, true);
  else if (kind === "waiting") await open(world, tab, path);
  else if (kind === "form") {
    tab.browser.keepsCookies = true;
    const newcomer = { email: `visitor-${world.emails.length}@example.com`, company_name: COMPANIES[0] };
    // A form that is filled in needs its passwords only.
    const own = email === "" ? newcomer : { email, company_name: company };
    world.emails.push(...(email === "" ? [newcomer.email] : []));
    await sendAgain(world, tab, { ...fields, ...own, package_id: plan });
  } else if (step.step !== "resume" || step.state !== "ready" || notices.includes(SIGNUP_CANCELED))
    await open(world, tab, path.split("?")[0] ?? "");
  else {
    tab.browser.keepsCookies = true;
    if (notices.length > 0) await open(world, tab, path);
    await open(world, tab, path, { intent: "resume" });
  }
  return goOn(world, tab, moves + 1);
}

/** A sequence that follows from its seed; the names of its steps are added to `taken`. */
async function runSequence(seed: number, taken: Set<string>): Promise<void> {
  const all = worldOf(seed);
  const way = [`seed ${seed}`];
  try {
    for (let nth = 0; nth < STEPS_OF_A_SEQUENCE; nth += 1) {
      const tab = oneOf(all.random, all.tabs);
      const fitting = Object.entries(STEPS).filter(([, [isOn]]) => isOn(tab.page, tab));
      const [name, [, run]] = oneOf(all.random, fitting);
      way.push(`${name} [${all.tabs.indexOf(tab)}: ${tab.page?.kind}]`);
      await run(all, tab);
      taken.add(name);
    }
    for (const tab of all.tabs) {
      way.push(`way on [${all.tabs.indexOf(tab)}: ${tab.page?.kind}]`);
      if (tab.page) await goOn(all, tab);
    }
    // One trial for each email address that had a working card, and no other subscription.
    for (const email of all.emails) {
      const { subscriptions, companies } = trialsOf(all, email);
      const count = all.began.has(email) ? 1 : 0;
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
  const taken = new Set<string>();
  for (let nth = 0; nth < Number(SEQUENCES); nth += 1) await runSequence(Number(SEED) + nth, taken);
  vi.useRealTimers();
  if (SEQUENCES === "60") expect([...taken].sort()).toEqual(Object.keys(STEPS).sort());
}, 180_000);
