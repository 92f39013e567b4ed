import { expect } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../app/signup/server/notices.server";
import { fields, PASSWORD } from "../support/person";
import { OTHER_PLAN, PLAN } from "../support/site-in-process/site-settings";
import { CUSTOM } from "./packages";
import { randomOf } from "./random";
import { type Backend, type Form, intentOf, siteWithApi } from "./site-with-api";
import { browserOf } from "./visited-pages";

/*
 * Random visitors of the site, with the API and Stripe behind it. After each step the page must show the truth, and at the end
 * every open page must let its visitor continue.
 */

type World = Awaited<ReturnType<typeof worldOf>>;
type Tab = World["tabs"][number];

/** Two browsers with two tabs each. */
async function worldOf(backend: Backend, seed: number) {
  const [first, second] = [browserOf(backend), browserOf(backend)];
  const tabIn = async (browser: typeof first) => {
    return { browser, page: await browser.open(pathOf(PLAN)), sent: {} as Form, email: "" };
  };
  const tabs = [await tabIn(first), await tabIn(first), await tabIn(second), await tabIn(second)] as const;
  const emailOf = (index: number) => `visitor-${seed}-${index}@example.com`;
  const emails: [string, ...string[]] = [emailOf(0), emailOf(1)];
  /** Email addresses with a working card, and each sign-up's email address by key, since not every page shows it. */
  const [began, owners] = [new Set<string>(), new Map<string, string>()];
  /** Each card that Stripe is processing, with its owner's email address. */
  const processed = new Map<string, string>();
  return { ...backend, processed, random: randomOf(seed, "visitors"), tabs, emailOf, emails, began, owners };
}

const COMPANIES = ["Engines Ltd", "Difference Inc"] as const;

const pathOf = (plan: string) => `/subscription/${plan}`;

/** Counts subscriptions at Stripe and lists the companies of the API's sign-ups with a trial. */
function trialsOf({ rows, chargesOf }: World, email: string) {
  const found = rows("SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
  const companies = found.map(({ company_name }) => String(company_name));
  return { subscriptions: chargesOf(email).length, companies };
}

const rowOf = ({ rows }: World, clientSecret: string) =>
  rows("SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intentOf(clientSecret))[0];

/** Opens a page or posts a form. The page must show the truth, no password and no other sign-up's name. */
async function open(world: World, tab: Tab, path: string, form?: Form): Promise<void> {
  const { browser } = tab;
  const isProcessed = world.cardOf(browser.card) === "processing";
  const hasCard = isProcessed || rowOf(world, browser.card)?.status === "trialing";
  tab.page = await browser.open(path, form);
  const { kind, email, company, key, notice, text, clientSecret } = tab.page;
  if (clientSecret) browser.card = clientSecret;
  if (tab.page.isOpen && browser.card) {
    expect(hasCard, `a ${kind} page says that a card is missing`).toBe(false);
    expect(world.cardOf(browser.card), `Stripe about the card of a ${kind} page`).toBe("requires_payment_method");
  }
  if (form && hasCard && !notice) expect(["waiting", "done", "busy"], "beside a card that is set up").toContain(kind);
  if (kind === "done") browser.card = "";
  if (key && email) world.owners.set(key, email);
  if (key && email) browser.email = email;
  tab.email = email || (world.owners.get(key) ?? ((kind === "waiting" && browser.email) || tab.email));
  expect(text).not.toContain(PASSWORD);
  expect([...COMPANIES, ...world.emails].filter((name) => text.includes(name))).toEqual(email ? [company, email] : []);
  const row = rowOf(world, clientSecret);
  if (row && email) expect(row).toMatchObject({ email, company_name: company });
  expectPrice(world, tab, row ? [row] : world.rows("SELECT * FROM sign_ups WHERE email = ?", tab.email));
  if (kind !== "done" && notice?.message !== SIGNUP_FINISHED.message) return;
  const { subscriptions, companies } = trialsOf(world, tab.email);
  expect([kind, subscriptions, companies]).toEqual([kind, 1, company ? [company] : companies]);
}

/** A page after the form shows the price of its sign-up, which Stripe charges. @param rows the sign-up's, or its email address's */
function expectPrice(
  { chargesOf }: World,
  { page: { kind, shown }, email }: Tab,
  rows: Record<string, unknown>[],
): void {
  if (!["card", "waiting", "done"].includes(kind) || rows.length === 0) return;
  const prices = rows.map(({ price_cents }) => price_cents);
  expect(prices, `the price of the ${kind} page`).toContain(shown ?? null);
  if (kind === "done") expect(chargesOf(email), "what Stripe charges").toEqual([shown]);
}

/** A sent form must lead to its own sign-up, which costs no more than the form showed, or come back unchanged. */
async function send(world: World, tab: Tab, more: Form = {}, losesAnswers = false): Promise<void> {
  const { random, emails } = world;
  const own = { package_id: tab.page.plan, email: random.oneOf(emails), company_name: random.oneOf(COMPANIES) };
  const form: Form = { ...fields, ...own, price_cents: String(tab.page.shown ?? ""), ...more };
  Object.assign(tab, { sent: form, email: form.email });
  world.loseAnswers(losesAnswers);
  await open(world, tab, pathOf(form.package_id ?? ""), form);
  world.loseAnswers(false);
  const { kind, email, company, clientSecret } = tab.page;
  const row = rowOf(world, clientSecret);
  if (row?.status === "pending" && form.price_cents)
    expect(Number(form.price_cents), "the form's price").toBeGreaterThanOrEqual(Number(row.price_cents));
  // The browser's own sign-up has a card, so the form leads there.
  if (kind !== "waiting" && kind !== "done") expect([email, company]).toEqual([form.email, form.company_name]);
}

async function enterCard({ began, enterCard, processed }: World, { page, email }: Tab, works: boolean): Promise<void> {
  if (processed.has(page.clientSecret)) return;
  if ((await enterCard(page.clientSecret, works)) && works) began.add(email);
}

async function pay(world: World, tab: Tab, works: boolean, cards = 1): Promise<void> {
  for (let nth = 0; nth < cards; nth += 1) await enterCard(world, tab, works);
  await open(world, tab, tab.page.returnPath);
}

/** Opens a card's link in a tab of the other browser, and continues there or not. */
async function openLink(world: World, tab: Tab): Promise<void> {
  const [first, second, third, fourth] = world.tabs;
  const there = world.random.oneOf(tab.browser === first.browser ? [third, fourth] : [first, second]);
  there.email = tab.email;
  await open(world, there, tab.page.link ?? "");
  if (there.page.kind === "ready" && world.random.chance(0.5))
    await open(world, there, there.page.path, { intent: "resume" });
}

async function wait({ random, wait, tabs }: World): Promise<void> {
  await wait(random.oneOf([1, 12, 25]));
  for (const { browser } of tabs) browser.card = "";
}

/** The bank takes its time. Its answer comes with another step. */
function processCard({ processCard, processed }: World, { page, email }: Tab): void {
  if (processCard(page.clientSecret)) processed.set(page.clientSecret, email);
}

async function bankAnswers({ began, enterCard, processed, random }: World): Promise<void> {
  for (const [clientSecret, email] of processed) {
    const works = random.chance(0.5);
    await enterCard(clientSecret, works);
    if (works) began.add(email);
  }
  processed.clear();
}

/** As if the cookie with the sign-up were too old. The form's cookie stays, so the same form has the same key. */
function loseSession(_: World, { browser }: Tab): void {
  for (const name of browser.jar.keys()) if (name.endsWith("signup")) browser.jar.delete(name);
  browser.card = "";
}

function changeCookies({ random }: World, { browser }: Tab): void {
  browser.jar.clear();
  browser.card = "";
  browser.keepsCookies = random.chance(0.5);
}

/** The company changes a price on the site and at the API in either order, keeps one in a rollback, or retires the custom plan. */
async function changePrices({ catalog, listPrice, random }: World): Promise<void> {
  const price_cents = Math.round(random.between(100, 600)) * 100;
  const { id, name } = CUSTOM;
  if (random.chance(0.2)) return void (await catalog({ retired: [id] }));
  if (random.chance(0.3)) return void (await catalog({ packages: [{ id, name, price_cents, status: "custom" }] }));
  const packageId = random.oneOf([PLAN, OTHER_PLAN]);
  const atApi = () => catalog({ packages: [{ id: packageId, name: "A plan", price_cents }] });
  const onSite = () => listPrice(packageId, price_cents);
  for (const step of random.oneOf<(() => unknown)[]>([[onSite, atApi], [onSite], [atApi]])) await step();
}

type Step = [name: string, isOn: (tab: Tab) => unknown, run: (world: World, tab: Tab) => unknown];
const anywhere = () => true;
const onForm = ({ page }: Tab) => page.kind === "form";
const onCard = ({ page }: Tab) => page.kind === "card";
const START_OVER = { intent: "start-over" };

/** The steps of visitors and the network, in any order. */
const STEPS: [Step, ...Step[]] = [
  [
    "open a plan",
    anywhere,
    (world, tab) => open(world, tab, pathOf(world.random.oneOf([PLAN, OTHER_PLAN, CUSTOM.id]))),
  ],
  ["reload", anywhere, (world, tab) => open(world, tab, tab.page.path)],
  ["send the form", onForm, (world, tab) => send(world, tab)],
  ["send the form, whose answer is lost", onForm, (world, tab) => send(world, tab, {}, true)],
  ["send the last form again", ({ sent }) => sent.email, (world, tab) => send(world, tab, tab.sent)],
  ["edit details", onCard, (world, tab) => open(world, tab, `${tab.page.path.split("?")[0]}?edit`)],
  ["start over", onCard, (world, tab) => open(world, tab, tab.page.path, { ...START_OVER, sign_up: tab.page.key })],
  ["enter a card", onCard, (world, tab) => pay(world, tab, true)],
  ["enter a card and leave", onCard, (world, tab) => enterCard(world, tab, world.random.chance(0.5))],
  ["enter a card that is processed", onCard, processCard],
  ["the bank answers", anywhere, bankAnswers],
  ["enter a card that is declined", onCard, (world, tab) => pay(world, tab, false)],
  ["enter five cards that are declined", onCard, (world, tab) => pay(world, tab, false, 5)],
  ["open the link in the other browser", ({ page }) => page.link, openLink],
  ["lose the sign-up's cookie", anywhere, loseSession],
  ["change prices", anywhere, changePrices],
  ["lose the cookies, and block or allow them", anywhere, changeCookies],
  ["wait some hours", anywhere, wait],
];

/** Follows each page's offer until the sign-up succeeds or truly ends. */
async function goOn(world: World, tab: Tab, seen: readonly string[] = []): Promise<void> {
  const { kind, notice, path, email, company, isRetired } = tab.page;
  if (kind === "done" || notice?.message === SIGNUP_FINISHED.message) return;
  if (notice?.message === DUPLICATE && trialsOf(world, tab.email).subscriptions === 1) return;
  // The longest way: form, card, canceled sign-up, form, card, and the pages between.
  const pages = [...seen, notice ? `${kind} ("${notice.title}")` : kind];
  if (pages.length > 14) throw new Error(`Following each page's offer leads to no end: ${pages.join(" → ")}`);
  if (kind === "card") await pay(world, tab, true);
  else if (kind === "waiting") {
    await bankAnswers(world);
    await open(world, tab, path);
  } else if (kind === "form") {
    tab.browser.keepsCookies = true;
    // A filled-in form needs only its passwords. An empty form is filled in for a new visitor.
    const newcomer = { email: world.emailOf(world.emails.length) };
    if (!email) world.emails.push(newcomer.email);
    const another: Form = isRetired ? { package_id: PLAN, price_cents: "" } : {};
    await send(world, tab, { ...another, ...(email ? { email, company_name: company } : newcomer) });
  } else if (kind !== "ready" || notice?.message === SIGNUP_CANCELED.message)
    await open(world, tab, path.split("?")[0] ?? "");
  else {
    tab.browser.keepsCookies = true;
    if (notice) await open(world, tab, path);
    await open(world, tab, path, { intent: "resume" });
  }
  return goOn(world, tab, pages);
}

/** Runs a seed's random sequence and records its steps in `way`. Fails if a page is untrue or a dead end. */
export async function runSequence(seed: number, way: string[]): Promise<void> {
  way.splice(0, way.length, `SEED=${seed} SEQUENCES=1`);
  const world = await worldOf(siteWithApi(), seed);
  const { tabs, emails, began, random } = world;
  for (let taken = 0; taken < 24; ) {
    const [tab, [name, isOn, run]] = [random.oneOf(tabs), random.oneOf(STEPS)];
    if (!isOn(tab)) continue;
    taken += 1;
    way.push(`${name} [${tabs.indexOf(tab)}: ${tab.page.kind}]`);
    await run(world, tab);
  }
  for (const tab of tabs) {
    way.push(`way on [${tabs.indexOf(tab)}: ${tab.page.kind}]`);
    await goOn(world, tab);
  }
  // One trial for each email address that had a working card, and no other subscription.
  for (const email of emails) {
    const { subscriptions, companies } = trialsOf(world, email);
    const count = began.has(email) ? 1 : 0;
    expect([email, subscriptions, companies.length]).toEqual([email, count, count]);
  }
}
