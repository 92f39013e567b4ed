import { expect } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../app/signup/server/notices.server";
import type { SignupReply, SignupStep } from "../../app/signup/steps";
import { fields, PASSWORD } from "../support/person";
import { OTHER_PLAN, PLAN } from "../support/site-in-process/site-settings";
import { CUSTOM } from "./price-list";
import { randomOf } from "./random";
import type { Backend } from "./site-backend";
import { changePrices, expectNoMore, expectTrue, shownOn } from "./site-prices";

/*
 * Random visitors of the site, with the API and Stripe behind it. After each step the page must show the truth, and at the end
 * every open page must let its visitor continue.
 */

type Form = Record<string, string>;
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
  return { ...backend, random: randomOf(seed, "visitors"), tabs, emailOf, emails, began, owners };
}

/** A browser: its cookies, and the page that a request leads to. */
function browserOf(backend: Backend) {
  const jar = new Map<string, string>();
  const browser = { keepsCookies: true, jar, open };
  async function open(path: string, form?: Form, redirects = 0): Promise<ReturnType<typeof pageOf>> {
    if (redirects > 4) throw new Error(`${path} leads in a circle`);
    const headers = { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const { cookies, sentTo, step, reply } = await backend.ask(path, headers, form);
    for (const cookie of browser.keepsCookies ? cookies : []) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    if (typeof sentTo === "string") return open(sentTo, undefined, redirects + 1);
    if (!step) throw new Error("There is no page");
    return pageOf(path, step, reply);
  }
  return browser;
}

/** A page as a visitor reads it: the sign-up's or the form's details, and the links. */
function pageOf(path: string, step: SignupStep, reply?: SignupReply) {
  const filledIn = step.step === "form" ? step.draft : "details" in step ? step.details : undefined;
  const typed: Record<string, unknown> = reply?.form?.initialValue ?? filledIn ?? {};
  const kind = reply?.form ? "form" : step.step === "resume" ? step.state : step.step;
  const card = kind === "card" && step.step === "card" ? step : undefined;
  return {
    path,
    kind,
    notice: reply?.notice,
    text: JSON.stringify(reply?.form ? reply : [step, reply]),
    email: String(typed.email ?? ""),
    company: String(typed.company_name ?? ""),
    plan: String(typed.package_id ?? ("packageId" in step ? step.packageId : "")),
    key: (kind !== "form" && "key" in step && step.key) || "",
    clientSecret: card?.clientSecret ?? "",
    returnPath: card?.returnPath ?? "",
    shown: shownOn(step, reply),
    isRetired: (reply?.planProblem ?? (step.step === "form" ? step.planProblem : undefined)) !== undefined,
    link: card?.resumeLink?.url.replace(/^https?:\/\/[^/]+/, ""),
  };
}

const COMPANIES = ["Engines Ltd", "Difference Inc"] as const;

const pathOf = (plan: string) => `/subscription/${plan}`;

/** Counts subscriptions at Stripe and lists the companies of the API's sign-ups with a trial. */
async function trialsOf({ rows, chargesOf }: World, email: string) {
  const found = await rows("SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
  const companies = found.map(({ company_name }) => String(company_name));
  return { subscriptions: (await chargesOf(email)).length, companies };
}

/** Opens a page or posts a form. The page must show the truth, no password and no other sign-up's name. */
async function open(world: World, tab: Tab, path: string, form?: Form): Promise<void> {
  tab.page = await tab.browser.open(path, form);
  const { kind, email, company, key, notice, text, clientSecret } = tab.page;
  if (key && email) world.owners.set(key, email);
  tab.email = email || (world.owners.get(key) ?? tab.email);
  expect(text).not.toContain(PASSWORD);
  expect([...COMPANIES, ...world.emails].filter((name) => text.includes(name))).toEqual(email ? [company, email] : []);
  const setupIntent = clientSecret.split("_secret_")[0] ?? "";
  const [row] = await world.rows("SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", setupIntent);
  if (row && email) expect(row).toMatchObject({ email, company_name: company });
  const own = row ? [row] : await world.rows("SELECT * FROM sign_ups WHERE email = ?", tab.email);
  await expectTrue(world, { ...tab.page, email: tab.email }, own);
  if (kind !== "done" && notice?.message !== SIGNUP_FINISHED.message) return;
  const { subscriptions, companies } = await trialsOf(world, tab.email);
  expect([kind, subscriptions, companies]).toEqual([kind, 1, company ? [company] : companies]);
}

/** A sent form must lead to its own sign-up or come back unchanged. */
async function send(world: World, tab: Tab, more: Form = {}, losesAnswers = false): Promise<void> {
  const { random, emails } = world;
  const own = { package_id: tab.page.plan, email: random.oneOf(emails), company_name: random.oneOf(COMPANIES) };
  const form: Form = { ...fields, ...own, price_cents: String(tab.page.shown ?? ""), ...more };
  Object.assign(tab, { sent: form, email: form.email });
  world.loseAnswers(losesAnswers);
  await open(world, tab, pathOf(form.package_id ?? ""), form);
  world.loseAnswers(false);
  await expectNoMore(world, tab.page.clientSecret, form.price_cents);
  const { kind, email, company } = tab.page;
  if (kind !== "waiting") expect([email, company]).toEqual([form.email, form.company_name]);
}

async function enterCard({ began, enterCard }: World, { page, email }: Tab, works: boolean): Promise<void> {
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

const wait = async ({ random, wait }: World) => wait?.(random.oneOf([1, 12, 25]));

/** As if the cookie with the sign-up were too old. The form's cookie stays, so the same form has the same key. */
function loseSession(_: World, { browser }: Tab): void {
  for (const name of browser.jar.keys()) if (name.endsWith("signup")) browser.jar.delete(name);
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
  ["enter a card that is declined", onCard, (world, tab) => pay(world, tab, false)],
  ["enter five cards that are declined", onCard, (world, tab) => pay(world, tab, false, 5)],
  ["open the link in the other browser", ({ page }) => page.link, openLink],
  ["lose the sign-up's cookie", anywhere, loseSession],
  ["change prices", anywhere, changePrices],
  ["lose the cookies, and block or allow them", anywhere, changeCookies],
  ["wait some hours", anywhere, wait],
];

/** Follows each page's offer until the sign-up succeeds or truly ends. */
async function goOn(world: World, tab: Tab, moves = 0): Promise<void> {
  const { kind, notice, path, email, company, isRetired } = tab.page;
  if (kind === "done" || notice?.message === SIGNUP_FINISHED.message) return;
  if (notice?.message === DUPLICATE && (await trialsOf(world, tab.email)).subscriptions === 1) return;
  // The longest way: form, card, canceled sign-up, form, card, and the pages between.
  if (moves === 14) throw new Error(`There is no way on from ${kind}`);
  if (kind === "card") await pay(world, tab, true);
  else if (kind === "waiting") await open(world, tab, path);
  else if (kind === "form") {
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
  return goOn(world, tab, moves + 1);
}

/** Runs a seed's random sequence and records its steps in `way`. Fails if a page is untrue or a dead end. */
export async function runSequence(backend: Backend, seed: number, way: string[]): Promise<void> {
  way.splice(0, way.length, `SEED=${seed} SEQUENCES=1`);
  const world = await worldOf(backend, seed);
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
    const { subscriptions, companies } = await trialsOf(world, email);
    const count = began.has(email) ? 1 : 0;
    expect([email, subscriptions, companies.length]).toEqual([email, count, count]);
  }
}
