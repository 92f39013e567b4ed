import { expect } from "vitest";
import { DUPLICATE, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../../app/signup/notices";
import { type Random, randomOf } from "../../support/random";
import { fields, PASSWORD } from "../../support/visitors/site-visitor";

/*
 * Random visitors: two browsers with two tabs each, two plans, two companies, lost answers, blocked cookies, declined cards,
 * the bank, a link to the other browser, time. After each step the page is true; at the end every open page has a way on.
 */

/** A page of the sign-up, as a visitor reads it. */
export interface Page {
  path: string;
  kind: "form" | "card" | "waiting" | "done" | "resume";
  /** Titles of notices, or their messages. */
  notices: string[];
  /** All that a visitor can see. */
  text: string;
  /** Whose sign-up it is, or what the form is filled in with. */
  email: string;
  company: string;
  plan: string;
  /** At the card step. */
  secret: string;
  returnPath: string;
  link: string;
  /** The sign-up that its buttons belong to. */
  key: string;
  /** The path of the other plan's sign-up that a form offers to finish. */
  offer: string;
  isReady: boolean;
}

export interface Browser {
  /** Follows redirects, as the following. */
  get(path: string): Promise<Page>;
  post(path: string, form: Record<string, string>): Promise<Page>;
  keepsCookies: boolean;
  loseCookies(): void;
}

/** What stands behind the pages. */
export interface Backstage {
  begin(): Browser;
  /** Enters a card as Stripe.js does; the API has heard of it then. */
  enterCard(secret: string, works: boolean): Promise<void>;
  stripeStatus(secret: string): Promise<string>;
  /** Subscriptions at Stripe, and the companies of the API's sign-ups with a trial. */
  trials(email: string): Promise<{ subscriptions: number; companies: string[] }>;
  /** The API's open sign-up with this client secret. */
  owner(secret: string): Promise<{ email: string; company: string } | undefined>;
  /** Requests with these words fail from now on. */
  breaks(fault: "refused" | "answer lost", words: string): void;
  repairs(): void;
  wait(browser: Browser, hours: number): Promise<void>;
}

export const PLANS = ["5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"] as const;
const COMPANIES = ["Engines Ltd", "Difference Inc"] as const;
const pathOf = (plan: string) => `/subscription/${plan}`;
const { package_id: _, ...typed } = fields;

interface Tab {
  device: 0 | 1;
  page: Page | undefined;
  /** The email address of the sign-up that it is about, also where the page does not say it. */
  email: string;
  sent?: { path: string; form: Record<string, string> };
}

interface World {
  backstage: Backstage;
  browsers: [Browser, Browser];
  tabs: [Tab, Tab, Tab, Tab];
  emails: [string, ...string[]];
  began: Set<string>;
  /** Email addresses of sign-ups by key: after a link a page does not say whose its sign-up is. */
  owners: Map<string, string>;
  random: Random;
}

type Step = { fits(page: Page | undefined, tab: Tab): boolean; run(world: World, tab: Tab): Promise<unknown> };

const isForm = (page: Page | undefined) => page?.kind === "form";
const isCard = (page: Page | undefined) => page?.kind === "card";

/** What visitors and the network do, in any order. */
export const STEPS: Record<string, Step> = {
  "open a plan": { fits: () => true, run: (world, tab) => open(world, tab, pathOf(world.random.oneOf(PLANS))) },
  reload: { fits: Boolean, run: (world, tab) => open(world, tab, pageOf(tab).path) },
  "send the form": { fits: isForm, run: (world, tab) => send(world, tab) },
  "send the form, then send it again": {
    fits: isForm,
    async run(world, tab) {
      await send(world, tab);
      await sendAgain(world, tab);
    },
  },
  "send the form, which does not reach the API": { fits: isForm, run: (world, tab) => send(world, tab, "refused") },
  "send the form, whose answer is lost": { fits: isForm, run: (world, tab) => send(world, tab, "answer lost") },
  "send the last form again": { fits: (_, { sent }) => sent !== undefined, run: sendAgain },
  "edit details": { fits: isCard, run: (world, tab) => open(world, tab, `${pageOf(tab).path.split("?")[0]}?edit`) },
  "start over": {
    fits: isCard,
    run: (world, tab) => post(world, tab, { intent: "start-over", sign_up: pageOf(tab).key }),
  },
  "finish the other plan's sign-up": {
    fits: (page) => Boolean(page?.offer),
    run: (world, tab) => open(world, tab, pageOf(tab).offer),
  },
  "enter a card": { fits: isCard, run: (world, tab) => pay(world, tab, true) },
  "enter a card and leave": { fits: isCard, run: (world, tab) => enterCard(world, tab, world.random.chance(0.5)) },
  "enter a card while Stripe is down": {
    fits: isCard,
    async run(world, tab) {
      const { secret } = pageOf(tab);
      await enterCard(world, tab, true);
      world.backstage.breaks("refused", secret);
      await open(world, tab, pageOf(tab).returnPath);
      world.backstage.repairs();
    },
  },
  "enter a card that is declined": { fits: isCard, run: (world, tab) => pay(world, tab, false) },
  "enter five cards that are declined": {
    fits: isCard,
    async run(world, tab) {
      for (let nth = 0; nth < 4; nth += 1) await enterCard(world, tab, false);
      await pay(world, tab, false);
    },
  },
  "open the link in the other browser": { fits: (page) => Boolean(page?.link), run: openLink },
  "continue in the other browser": {
    fits: (page) => Boolean(page?.link),
    async run(world, tab) {
      const there = await openLink(world, tab);
      if (pageOf(there).isReady) await post(world, there, { intent: "resume" });
    },
  },
  "lose the cookies": { fits: Boolean, run: async (world, tab) => browserOf(world, tab).loseCookies() },
  "block cookies": {
    fits: Boolean,
    async run(world, tab) {
      const browser = browserOf(world, tab);
      browser.loseCookies();
      browser.keepsCookies = !browser.keepsCookies;
    },
  },
  "wait some hours": {
    fits: Boolean,
    run: (world, tab) => world.backstage.wait(browserOf(world, tab), world.random.oneOf([1, 12, 25])),
  },
};

/** Runs a sequence that follows from its seed; the names of its steps are added to `taken`. */
export async function runSequence(seed: number, steps: number, backstage: Backstage, taken: Map<string, number>) {
  const random = randomOf(seed, "visitors");
  const tabs = ([0, 0, 1, 1] as const).map((device): Tab => ({ device, page: undefined, email: "" }));
  const [one, two, three, four] = tabs;
  if (!one || !two || !three || !four) throw new Error("There are four tabs");
  const world: World = {
    backstage,
    browsers: [backstage.begin(), backstage.begin()],
    tabs: [one, two, three, four],
    emails: [0, 1].map((nth) => `visitor-${seed}-${nth}-${crypto.randomUUID()}@example.com`) as [string, string],
    began: new Set(),
    owners: new Map(),
    random,
  };
  const way: string[] = [`seed ${seed}`];
  try {
    for (let nth = 0; nth < steps; nth += 1) {
      const tab = random.oneOf(world.tabs);
      const fitting = Object.entries(STEPS).filter(([, { fits }]) => fits(tab.page, tab));
      const [name, { run }] = random.oneOf(fitting as [[string, Step]]);
      way.push(`${name} [${world.tabs.indexOf(tab)}: ${tab.page?.kind}]`);
      await run(world, tab);
      taken.set(name, (taken.get(name) ?? 0) + 1);
    }
    for (const tab of world.tabs) if (tab.page) await expectWayOn(world, tab, way);
    await expectTrials(world);
  } catch (error) {
    if (error instanceof Error) error.message = `${way.join("\n")}\n${error.message}`;
    throw error;
  }
}

const browserOf = (world: World, { device }: Tab) => world.browsers[device];

function pageOf({ page }: Tab): Page {
  if (!page) throw new Error("The tab is empty");
  return page;
}

async function open(world: World, tab: Tab, path: string): Promise<void> {
  await sees(world, tab, await browserOf(world, tab).get(path));
}

async function post(world: World, tab: Tab, form: Record<string, string>): Promise<void> {
  await sees(world, tab, await browserOf(world, tab).post(pageOf(tab).path, form));
}

/** Whatever is shown is true, and never another sign-up's name or a password. */
async function sees(world: World, tab: Tab, page: Page): Promise<void> {
  tab.page = page;
  const { backstage, owners } = world;
  if (page.key && page.email) owners.set(page.key, page.email);
  tab.email = page.email || (owners.get(page.key) ?? tab.email);
  expect(page.text).not.toContain(PASSWORD);
  const names = COMPANIES.filter((company) => page.text.includes(company));
  expect(names).toEqual(page.company ? [page.company] : []);
  expect(world.emails.filter((email) => page.text.includes(email))).toEqual(page.email ? [page.email] : []);
  if (page.kind === "card") {
    const owner = await backstage.owner(page.secret);
    if (owner && page.email) expect(owner).toEqual({ email: page.email, company: page.company });
  }
  const isFinished = page.notices.includes(SIGNUP_FINISHED.title);
  if (page.kind !== "done" && !isFinished) return;
  const { subscriptions, companies } = await backstage.trials(tab.email);
  expect([page.kind, subscriptions]).toEqual([page.kind, 1]);
  if (page.company) expect(companies).toEqual([page.company]);
}

async function send(world: World, tab: Tab, fault?: "refused" | "answer lost"): Promise<void> {
  const { backstage, random } = world;
  const { plan } = pageOf(tab);
  const form = { ...typed, package_id: plan, email: random.oneOf(world.emails), company_name: random.oneOf(COMPANIES) };
  if (fault) backstage.breaks(fault, form.email);
  tab.sent = { path: pathOf(plan), form };
  await sendAgain(world, tab);
  backstage.repairs();
}

/** A form that is sent leads to its own sign-up, or comes back as it was. */
async function sendAgain(world: World, tab: Tab): Promise<void> {
  if (!tab.sent) throw new Error("Nothing was sent");
  const { path, form } = tab.sent;
  tab.email = form.email ?? "";
  await sees(world, tab, await browserOf(world, tab).post(path, form));
  const page = pageOf(tab);
  if (page.kind !== "waiting") expect([page.email, page.company]).toEqual([form.email, form.company_name]);
}

/** True for the card that begins its email address's trial. */
async function enterCard({ backstage, began }: World, tab: Tab, works: boolean): Promise<void> {
  const { secret } = pageOf(tab);
  const isWaiting = (await backstage.stripeStatus(secret)) === "requires_payment_method";
  await backstage.enterCard(secret, works);
  if (isWaiting && works) began.add(tab.email);
}

async function pay(world: World, tab: Tab, works: boolean): Promise<void> {
  const { returnPath } = pageOf(tab);
  await enterCard(world, tab, works);
  await open(world, tab, returnPath);
}

async function openLink(world: World, tab: Tab): Promise<Tab> {
  const there = world.random.oneOf(world.tabs.filter(({ device }) => device !== tab.device) as [Tab, Tab]);
  there.email = tab.email;
  await open(world, there, pageOf(tab).link);
  return there;
}

/** One trial for each email address that had a working card, and no other subscription. */
async function expectTrials({ backstage, emails, began }: World): Promise<void> {
  for (const email of emails) {
    const { subscriptions, companies } = await backstage.trials(email);
    const count = began.has(email) ? 1 : 0;
    expect([email, subscriptions, companies.length]).toEqual([email, count, count]);
  }
}

/** More steps than the longest way takes: form, card, canceled sign-up, form, card, and the pages between. */
const MOVES = 14;

/** By what each page offers, a visitor goes on to a success or to an end that is true. */
async function expectWayOn(world: World, tab: Tab, way: string[]): Promise<void> {
  for (let moves = 0; moves < MOVES; moves += 1) {
    const page = pageOf(tab);
    way.push(`way on [${world.tabs.indexOf(tab)}]: ${page.kind} ${page.notices.join()}`);
    if (page.kind === "done" || page.notices.includes(SIGNUP_FINISHED.title)) return;
    if (page.notices.includes(DUPLICATE) && (await world.backstage.trials(tab.email)).subscriptions === 1) return;
    await goOn(world, tab, page);
  }
  throw new Error("There is no way on");
}

async function goOn(world: World, tab: Tab, page: Page): Promise<void> {
  switch (page.kind) {
    case "form": {
      browserOf(world, tab).keepsCookies = true;
      // A form that is filled in needs its passwords only.
      const isFilled = page.email !== "";
      const email = isFilled ? page.email : `visitor-${crypto.randomUUID()}@example.com`;
      if (!isFilled) world.emails.push(email);
      const company_name = isFilled ? page.company : COMPANIES[0];
      const form = { ...typed, package_id: page.plan, email, company_name };
      tab.email = email;
      return sees(world, tab, await browserOf(world, tab).post(pathOf(page.plan), form));
    }
    case "card":
      return pay(world, tab, true);
    case "waiting":
      return open(world, tab, page.path);
    case "resume":
      if (page.notices.includes(SIGNUP_CANCELED.title) || !page.isReady)
        return open(world, tab, page.path.split("?")[0] ?? "");
      browserOf(world, tab).keepsCookies = true;
      if (page.notices.length > 0) await open(world, tab, page.path);
      return post(world, tab, { intent: "resume" });
    default:
      throw new Error(`There is no way on from ${page.kind}`);
  }
}
