import { expect, onTestFailed, onTestFinished, test, vi } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../../app/signup/notices";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { apiInProcess } from "../../support/api-in-process/api";
import { fields, PASSWORD } from "../../support/person";
import { randomOf } from "../../support/random";
import { look, OTHER_PLAN, PLAN, post, SITE_URL, siteContext } from "../../support/site-in-process/site-context";
import { eventOf, sign } from "../../support/stripe-events";

/*
 * Random visitors over the site's loader and action, the API and the model of Stripe in one process. After each step the page
 * is true; at the end every open page has a way on.
 */

type Form = Record<string, string>;
type World = Awaited<ReturnType<typeof worldOf>>;
type Tab = World["tabs"][number];

/** The site, the API and Stripe, whose webhooks arrive at once, and two browsers with two tabs each. */
async function worldOf(seed: number) {
  const told: string[] = [];
  const network = { losesAnswers: false };
  async function send(url: string, init: RequestInit) {
    const response = await api.ask(url, init, "site");
    await deliver();
    if (network.losesAnswers && init.method === "POST") throw new TypeError("fetch failed");
    return response;
  }
  const site = siteContext({ SUBSCRIPTION_API: { fetch: send } });
  // The API's `fetch` takes the place of the site's: both ask the same Stripe.
  const api = apiInProcess({ tell: (id, type, about) => void told.push(eventOf(type, about, id)) });
  async function deliver(): Promise<void> {
    for (let body = told.shift(); body; body = told.shift())
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    await api.settled();
  }
  const [first, second] = [browserOf(site), browserOf(site)];
  const tabIn = async (browser: typeof first) => {
    return { browser, page: await browser.open(pathOf(PLAN)), sent: {} as Form, email: "" };
  };
  const tabs = [await tabIn(first), await tabIn(first), await tabIn(second), await tabIn(second)] as const;
  const emails: [string, ...string[]] = [`visitor-${seed}-0@example.com`, `visitor-${seed}-1@example.com`];
  /** Email addresses whose card began a trial, and those of sign-ups by key: a page does not always say whose it is. */
  const [began, owners] = [new Set<string>(), new Map<string, string>()];
  return { api, deliver, network, random: randomOf(seed, "visitors"), tabs, emails, began, owners };
}

/** A browser: its cookies, and the page that a request leads to. */
function browserOf(site: ReturnType<typeof siteContext>) {
  const jar = new Map<string, string>();
  const browser = { keepsCookies: true, jar, open };
  async function ask(path: string, form?: Form) {
    const headers = { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const answer = form
      ? { step: undefined, ...(await post(site, form, { path, headers })) }
      : { reply: undefined, ...(await look(site, { path, headers })) };
    // The pipeline's part, outside the page cache.
    const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
    for (const cookie of browser.keepsCookies ? [...answer.headers.getSetCookie(), nonce ?? []].flat() : []) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }
  async function open(path: string, form?: Form, redirects = 0): Promise<ReturnType<typeof pageOf>> {
    if (redirects > 4) throw new Error(`${path} leads in a circle`);
    const { reply, ...answer } = await ask(path, form);
    // Remix renders the page of a post with its loader's data, or redirects where that does.
    const { sentTo, step } = reply ? await ask(path) : answer;
    if (typeof sentTo === "string") return open(sentTo, undefined, redirects + 1);
    if (!step) throw new Error("There is no page");
    return pageOf(path, step, reply);
  }
  return browser;
}

/** A page as a visitor reads it: whose sign-up it is or what the form is filled in with, and where it leads. */
function pageOf(path: string, step: SignupStep, reply?: SignupReply) {
  const filledIn = step.step === "form" ? step.draft : "details" in step ? step.details : undefined;
  const typed: Record<string, unknown> = reply?.form?.initialValue ?? filledIn ?? {};
  const kind = reply?.form ? "form" : step.step === "resume" ? step.state : step.step;
  const card = kind === "card" && step.step === "card" ? step : undefined;
  return {
    path,
    kind,
    notice: kind === "canceled" ? SIGNUP_CANCELED : reply?.notice,
    text: JSON.stringify(reply?.form ? reply : [step, reply]),
    email: String(typed.email ?? ""),
    company: String(typed.company_name ?? ""),
    plan: String(typed.package_id ?? ("packageId" in step ? step.packageId : "")),
    key: (kind !== "form" && "key" in step && step.key) || "",
    setupIntent: card?.clientSecret.split("_secret_")[0] ?? "",
    returnPath: card?.returnPath ?? "",
    link: card?.resumeLink?.url.slice(SITE_URL.length),
  };
}

const COMPANIES = ["Engines Ltd", "Difference Inc"] as const;

const pathOf = (plan: string) => `/subscription/${plan}`;

/** Subscriptions at Stripe, and the companies of the API's sign-ups with a trial. */
function trialsOf({ api }: World, email: string) {
  const customers = api.model.all("customer").filter((customer) => customer.email === email);
  const subscriptions = customers.flatMap(({ id }) => api.model.all("subscription", id)).length;
  const rows = api.rows("SELECT company_name FROM sign_ups WHERE email = ? AND status = 'trialing'", email);
  return { subscriptions, companies: rows.map(({ company_name }) => String(company_name)) };
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

/** A form that is sent leads to its own sign-up, or comes back as it was. */
async function send(world: World, tab: Tab, more: Form = {}, losesAnswers = false): Promise<void> {
  const { random, emails, network } = world;
  const own = { package_id: tab.page.plan, email: random.oneOf(emails), company_name: random.oneOf(COMPANIES) };
  const form = { ...fields, ...own, ...more };
  Object.assign(tab, { sent: form, email: form.email });
  network.losesAnswers = losesAnswers;
  await open(world, tab, pathOf(form.package_id), form);
  network.losesAnswers = false;
  const { kind, email, company } = tab.page;
  if (kind !== "waiting") expect([email, company]).toEqual([form.email, form.company_name]);
}

async function enterCard({ api, began, deliver }: World, { page, email }: Tab, works: boolean): Promise<void> {
  if (works && api.model.get(page.setupIntent)?.status === "requires_payment_method") began.add(email);
  api.model.confirm(page.setupIntent, crypto.randomUUID(), !works);
  await deliver();
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

async function wait({ api, random, deliver }: World): Promise<void> {
  vi.setSystemTime(Date.now() + random.oneOf([1, 12, 25]) * 60 * 60 * 1000);
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
  ["send the form, whose answer is lost", onForm, (world, tab) => send(world, tab, {}, true)],
  ["send the last form again", ({ sent }) => sent.email, (world, tab) => send(world, tab, tab.sent)],
  ["edit details", onCard, (world, tab) => open(world, tab, `${tab.page.path.split("?")[0]}?edit`)],
  ["start over", onCard, (world, tab) => open(world, tab, tab.page.path, { ...START_OVER, sign_up: tab.page.key })],
  ["enter a card", onCard, (world, tab) => pay(world, tab, true)],
  ["enter a card and leave", onCard, (world, tab) => enterCard(world, tab, world.random.chance(0.5))],
  ["enter a card that is declined", onCard, (world, tab) => pay(world, tab, false)],
  ["enter five cards that are declined", onCard, (world, tab) => pay(world, tab, false, 5)],
  ["open the link in the other browser", ({ page }) => page.link, openLink],
  ["lose the cookies, and block or allow them", anywhere, changeCookies],
  ["wait some hours", anywhere, wait],
];

/** By what each page offers, a visitor goes on to a success or to an end that is true. */
async function goOn(world: World, tab: Tab, moves = 0): Promise<void> {
  const { kind, notice, path, email, company } = tab.page;
  if (kind === "done" || notice === SIGNUP_FINISHED) return;
  if (notice?.message === DUPLICATE && trialsOf(world, tab.email).subscriptions === 1) return;
  // The longest way: form, card, canceled sign-up, form, card, and the pages between.
  if (moves === 14) throw new Error(`There is no way on from ${kind}`);
  if (kind === "card") await pay(world, tab, true);
  else if (kind === "waiting") await open(world, tab, path);
  else if (kind === "form") {
    tab.browser.keepsCookies = true;
    // A form that is filled in needs its passwords only; an empty one is a newcomer's.
    const newcomer = { email: `visitor-${world.emails.length}@example.com` };
    if (!email) world.emails.push(newcomer.email);
    await send(world, tab, email ? { email, company_name: company } : newcomer);
  } else if (kind !== "ready" || notice === SIGNUP_CANCELED) await open(world, tab, path.split("?")[0] ?? "");
  else {
    tab.browser.keepsCookies = true;
    if (notice) await open(world, tab, path);
    await open(world, tab, path, { intent: "resume" });
  }
  return goOn(world, tab, moves + 1);
}

/** A sequence that follows from its seed; its steps replace those in `way`. */
async function runSequence(seed: number, way: string[]): Promise<void> {
  way.splice(0, way.length, `SEED=${seed} SEQUENCES=1`);
  const world = await worldOf(seed);
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

const { SEED = "101", SEQUENCES = "60" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  const way: string[] = [];
  onTestFailed(() => void process.stderr.write(way.join("\n")));
  onTestFinished(() => void vi.useRealTimers());
  for (let seed = Number(SEED); seed < Number(SEED) + Number(SEQUENCES); seed += 1) await runSequence(seed, way);
}, 180_000);
