import { expect } from "@playwright/test";
import fc from "fast-check";
import { fields } from "../../support/visitors/site-visitor";
import type { BrowserDriver } from "./browser-driver";
import type { HttpDriver } from "./http-driver";
import { type Kind, type Shown, shownBy } from "./model-page";
import { at, DECLINED, type Driver, deviceOf, PLANS, pathOf, type Tab, WORKS, type World } from "./model-world";
import { expectTruth, hasTrial, statusOf } from "./truth";
import { checkUntilKnown } from "./way-on";

/** A step in one tab. */
interface Turn<D extends Driver = Driver> {
  world: World<D>;
  tab: number;
  /** What the tab showed before. */
  shown: Shown;
  choose<Option>(...options: Option[]): Option;
}

interface Step<D extends Driver> {
  fits(tab: Tab): boolean;
  run(turn: Turn<D>): Promise<unknown>;
  /** How often it is in the list of which steps are chosen, higher if it seldom fits; 1 when absent. */
  weight?: number;
}

const any = () => true;
const isOpen = ({ shown, email }: Tab) => shown !== undefined && email === undefined;
const isForm = ({ shown }: Tab) => shown?.kind === "form";
const isCard = ({ shown }: Tab) => shown?.kind === "card";
const hasLink = ({ shown }: Tab) => isCard({ shown }) && linkIn(shown) !== undefined;
const hasOther = ({ shown }: Tab) => shown?.other !== undefined;

/** What visitors and the network do, in any order. */
const STEPS: Record<string, Step<Driver>> = {
  "open a plan": { fits: any, weight: 2, run: (turn) => open(turn, pathOf(turn.choose(...PLANS))) },
  reload: { fits: isOpen, run: moves(({ driver }, tab) => driver.reload(tab)) },
  "send the form": { fits: isForm, weight: 4, run: (turn) => send(turn) },
  "send the form, which does not reach the API": { fits: isForm, run: (turn) => send(turn, "refuse") },
  "send the form, whose answer is lost": { fits: isForm, run: (turn) => send(turn, "lose-answer") },
  "press Edit details": {
    fits: isCard,
    weight: 3,
    async run(turn) {
      const { email, company } = turn.shown;
      const fresh = isFresh(turn);
      await turn.world.driver.press(turn.tab, "Edit details");
      const now = await sees(turn, ...(fresh ? (["form"] as const) : []));
      if (fresh) expect([now.email, now.company]).toEqual([email, company]);
    },
  },
  "press Start over": {
    fits: isCard,
    weight: 2,
    async run(turn) {
      await turn.world.driver.press(turn.tab, "Start over");
      const now = await sees(turn, "form");
      expect([now.email, now.company]).toEqual(["", ""]);
    },
  },
  "continue with the other sign-up": {
    fits: hasOther,
    weight: 5,
    async run(turn) {
      const { other = "" } = turn.shown;
      const fresh = isFresh(turn);
      await turn.world.driver.press(turn.tab, `Continue with ${other}`);
      const now = await sees(turn);
      if (fresh && now.kind !== "waiting") expect(now.company).toBe(other);
    },
  },
  "enter a card": { fits: isCard, weight: 4, run: (turn) => pay(turn, WORKS) },
  "enter a card while the site cannot reach Stripe": {
    fits: isCard,
    weight: 3,
    async run(turn) {
      const { stripeProxy } = turn.world;
      const { intent } = turn.shown;
      stripeProxy.breakAt(intent, "refuse");
      await pay(turn, WORKS, { isStripeUp: false });
      stripeProxy.repair(intent);
      if (at(turn.world.tabs, turn.tab).shown?.kind !== "waiting") return;
      await checkUntilKnown(turn.world.driver, turn.tab);
      await sees(turn);
    },
  },
  "enter a card that is declined": { fits: isCard, weight: 3, run: (turn) => pay(turn, DECLINED) },
  "enter five cards that are declined": {
    fits: isCard,
    weight: 3,
    run: (turn) => pay(turn, DECLINED, { times: 5 }),
  },
  "open the link on the other device": { fits: hasLink, weight: 3, run: (turn) => openLink(turn) },
  "take the link's sign-up over on the other device": {
    fits: hasLink,
    weight: 4,
    async run(turn) {
      const { intent, email, company } = turn.shown;
      const there = await openLink(turn);
      if (!there.shown.words.includes("Continue only if it's yours.")) return;
      const isWaiting = (await statusOf(turn.world, intent)) === "requires_payment_method";
      await turn.world.driver.press(there.tab, "Continue this sign-up");
      const now = await sees(there);
      if (!isWaiting) expect(now.notices).toEqual([expect.stringMatching(/canceled|finished/)]);
      else if (at(turn.world.keepsCookies, deviceOf(there.tab)))
        expect([now.kind, now.email, now.company]).toEqual(["card", email, company]);
    },
  },
  "lose the cookies": { fits: any, run: (turn) => setCookies(turn, "lose") },
  "block cookies": { fits: any, run: (turn) => setCookies(turn, "block") },
  "allow cookies": { fits: any, run: (turn) => setCookies(turn, "allow") },
};

/** What is only between two pages of a real browser, or takes hours there. */
export const STEPS_OVER_HTTP: Record<string, Step<HttpDriver>> = {
  ...STEPS,
  "send the last form again": {
    fits: ({ sent }) => sent === true,
    run: moves(({ driver }, tab) => driver.sendAgain(tab)),
  },
  "press Keep for 2 more hours": {
    fits: ({ shown }) => isCard({ shown }) && shown?.words.includes("Keep for 2 more hours") === true,
    async run(turn) {
      const { email } = turn.shown;
      const fresh = isFresh(turn);
      await turn.world.driver.press(turn.tab, "Keep for 2 more hours");
      const now = await sees(turn);
      if (fresh) expect([now.kind, now.email]).toEqual(["card", email]);
    },
  },
  "enter a card at the bank, and leave": {
    fits: isCard,
    weight: 3,
    run: (turn) => enterCard(turn, turn.choose(WORKS, DECLINED)),
  },
  "enter a card at the bank, and return": {
    fits: isCard,
    weight: 4,
    async run(turn) {
      const { email } = turn.shown;
      await enterCard(turn, turn.choose(WORKS, DECLINED));
      await turn.world.driver.returnFromBank(turn.tab);
      // Without a session the page does not say whose card it was.
      return sees({ ...turn, email });
    },
  },
  "wait some hours": {
    fits: isOpen,
    async run({ world, tab, choose }) {
      world.newest[deviceOf(tab)] = undefined;
      await world.driver.wait(deviceOf(tab), choose(1, 2, 24));
    },
  },
};

/** What only a script, or the browser around it, does. */
export const STEPS_IN_BROWSER: Record<string, Step<BrowserDriver>> = {
  ...STEPS,
  "go back": { fits: isOpen, weight: 3, run: moves(({ driver }, tab) => driver.back(tab)) },
  "reload while Stripe.js fails, and retry": {
    fits: isCard,
    weight: 8,
    async run(turn) {
      const { driver } = turn.world;
      await driver.reloadWithoutProvider(turn.tab);
      if ((await driver.look(turn.tab)).words.includes("The payment form could not be loaded."))
        await driver.press(turn.tab, "Retry");
      return sees(turn);
    },
  },
  "reload while Stripe.js is slow": {
    fits: isCard,
    weight: 8,
    async run(turn) {
      const before = await turn.world.driver.reloadWithSlowProvider(turn.tab);
      expect(before.notices).toEqual(before.kind === "card" ? [] : expect.anything());
      return sees(turn);
    },
  },
  "block storage": {
    fits: any,
    run: ({ world, tab }) => world.driver.blockStorage(deviceOf(tab)),
  },
};

/** Looks at the tab: what it shows is true, and of one of these kinds where any are given. */
async function sees(turn: Turn & { email?: string }, ...kinds: Kind[]): Promise<Shown> {
  const { world, tab, email } = turn;
  const shown = await world.driver.look(tab);
  if (kinds.length > 0) expect(kinds, shown.words).toContain(shown.kind);
  const { sent } = at(world.tabs, tab);
  world.tabs[tab] = { shown, ...(sent && { sent }), ...(shown.email === "" && email !== undefined && { email }) };
  world.newest[deviceOf(tab)] = at(world.keepsCookies, deviceOf(tab)) ? tab : undefined;
  await expectTruth(world, tab, shown);
  return shown;
}

function moves<D extends Driver>(go: (world: World<D>, tab: number) => Promise<void>) {
  return async (turn: Turn<D>) => {
    await go(turn.world, turn.tab);
    return sees(turn);
  };
}

async function open(turn: Turn & { email?: string }, path: string): Promise<Shown> {
  await turn.world.driver.open(turn.tab, path);
  return sees(turn);
}

/** Whether nothing has changed the device's session since this page was shown. */
const isFresh = ({ world, tab }: Turn) => world.newest[deviceOf(tab)] === tab;

const { package_id: _, ...typed } = fields;

async function send(turn: Turn, fault?: "refuse" | "lose-answer"): Promise<void> {
  const { world, tab, choose } = turn;
  const email = at(world.emails, choose(0, 0, 1));
  const company = choose("Engines Ltd", "Difference Inc");
  if (fault) world.apiProxy.breakAt(email, fault);
  await world.driver.send(tab, { ...typed, email, company_name: company });
  const now = await sees(turn);
  world.apiProxy.repair(email);
  at(world.tabs, tab).sent = true;
  if (now.kind !== "waiting") expect([now.email, now.company]).toEqual([email, company]);
  if (now.kind !== "form") return;
  // A form that was taken before leads back to its sign-up, whatever has become of that.
  const why = fault ? "unreachable" : at(world.keepsCookies, deviceOf(tab)) ? "taken" : "taken|blocked";
  expect(now.notices).toEqual([expect.stringMatching(`^(${why}|canceled)$`)]);
}

/** Enters a card. True if it begins the trial of its email address. */
async function enterCard({ world, tab, shown }: Turn, number: string): Promise<boolean> {
  const { intent, email } = shown;
  const isWaiting = (await statusOf(world, intent)) === "requires_payment_method";
  const begins = number === WORKS && isWaiting && !(await hasTrial(world, email));
  await world.driver.enterCard(tab, number);
  if (begins) {
    world.trials.add(email);
    await expect.poll(() => hasTrial(world, email), POLL).toBe(true);
  }
  if (number === WORKS || !isWaiting) return begins;
  const declined = (world.declined.get(intent) ?? 0) + 1;
  world.declined.set(intent, declined);
  // The API cancels it once it has heard of the card.
  if (declined === 5) await expect.poll(() => statusOf(world, intent), POLL).toBe("canceled");
  return begins;
}

const POLL = { timeout: 15_000, intervals: [5, 10, 20] };

async function pay(turn: Turn, number: string, { times = 1, isStripeUp = true } = {}): Promise<void> {
  const { world, tab, shown } = turn;
  const { driver } = world;
  const { intent, email } = shown;
  const keepsCookies = at(world.keepsCookies, deviceOf(tab));
  let begins = false;
  for (let nth = 0; nth < times && (await statusOf(world, intent)) === "requires_payment_method"; nth += 1)
    begins = await enterCard(turn, number);
  const isOver = (await statusOf(world, intent)) !== "requires_payment_method";
  if (isOver) await driver.proceed(tab);
  // A script finds out by itself that there is nothing to pay for any more.
  if (isOver && driver.runsScripts)
    await expect.poll(async () => (await driver.look(tab)).intent, { timeout: 20_000 }).not.toBe(intent);
  if (isStripeUp && (await driver.look(tab)).kind === "waiting") await checkUntilKnown(driver, tab);
  const now = await sees(turn);
  if (begins && isStripeUp && keepsCookies) expect([now.kind, now.email]).toEqual(["done", email]);
  if (!isOver && driver.runsScripts)
    expect([now.intent, now.words]).toEqual([intent, expect.stringContaining("Payment Failed")]);
}

function linkIn(shown: Shown | undefined): string | undefined {
  return shown?.document.querySelector("main details a")?.getAttribute("href") ?? undefined;
}

async function openLink(turn: Turn): Promise<Turn> {
  const { pathname, search } = new URL(linkIn(turn.shown) ?? "");
  const { email } = turn.shown;
  const there = { ...turn, tab: 2 * (1 - deviceOf(turn.tab)) + turn.choose(0, 1), email };
  return { ...there, shown: await open(there, pathname + search) };
}

async function setCookies({ world, tab }: Turn, what: "lose" | "block" | "allow"): Promise<void> {
  const device = deviceOf(tab);
  world.newest[device] = undefined;
  if (what !== "allow") await world.driver.loseCookies(device);
  if (what !== "lose") {
    world.keepsCookies[device] = what === "allow";
    await world.driver.keepCookies(device, what === "allow");
  }
}

/** Steps for fast-check, in one of the tabs that fit, and how often each was taken. */
export function commandsOf<D extends Driver>(steps: Record<string, Step<D>>, taken: Map<string, number>) {
  return Object.entries(steps).flatMap(([name, { fits, run, weight = 1 }]) => {
    const command = fc.nat().map((dice): fc.AsyncCommand<World<D>, World<D>> => {
      let rest = dice;
      const choose = <Option>(...options: Option[]): Option => {
        const option = at(options, rest % options.length);
        rest = Math.floor(rest / options.length);
        return option;
      };
      const fitting = ({ tabs }: World<D>) => [...tabs.keys()].filter((tab) => fits(at(tabs, tab)));
      let where = "";
      return {
        check: (world) => fitting(world).length > 0,
        async run(world) {
          rest = dice;
          const tab = choose(...fitting(world));
          where = ` [tab ${tab}]`;
          const { shown } = at(world.tabs, tab);
          await run({ world, tab, choose, shown: shown ?? shownBy("") });
          taken.set(name, (taken.get(name) ?? 0) + 1);
        },
        toString: () => name + where,
      };
    });
    return Array.from({ length: weight }, () => command);
  });
}
