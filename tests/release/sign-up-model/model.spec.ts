import { test as base, expect } from "@playwright/test";
import fc from "fast-check";
import { startBackend, startSite } from "../../support/workers/workers";
import { startFaultyProxy } from "../faulty-proxy";
import { browserDriver } from "./browser-driver";
import { httpDriver } from "./http-driver";
import { type Driver, PLANS, pathOf, type Servers, type World } from "./model-world";
import { rowsOverHttp } from "./rows-over-http";
import { commandsOf, STEPS_IN_BROWSER, STEPS_OVER_HTTP } from "./steps";
import { expectTrials } from "./truth";
import { expectWayOn } from "./way-on";

/*
 * Random sequences of steps: tabs, plans, devices, two companies, lost answers, blocked cookies, declined cards, the bank,
 * time. After each step a page says what API and Stripe hold; at the end there is a way on from each page that is open.
 * SEED and SEQUENCES choose them.
 */

const { SEED = "101", SEQUENCES } = process.env;

const test = base.extend<object, { servers: Servers }>({
  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const backend = await startBackend({ wrapper: rowsOverHttp });
      const { api, stripe } = backend;
      const apiProxy = await startFaultyProxy(api.url, { keepsHost: true });
      const stripeProxy = await startFaultyProxy(stripe.url);
      const vars = {
        SUBSCRIPTION_API_URL: apiProxy.url,
        STRIPE_API_URL: stripeProxy.url,
        STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
      };
      const site = await startSite({ vars });
      await provide({ api, stripe, site, apiProxy, stripeProxy });
      await Promise.all([site, apiProxy, stripeProxy].map((part) => part.dispose()));
      await backend.dispose();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

interface Plan<D extends Driver> {
  steps: Parameters<typeof commandsOf<D>>[0];
  sequences: number;
  maxCommands: number;
  /** The kinds of steps that the fixed seeds have to lead to. */
  mustTake: string[];
  atOnce: number;
  begin(): Promise<D>;
}

async function runSequences<D extends Driver>(servers: Servers, plan: Plan<D>): Promise<void> {
  const taken = new Map<string, number>();
  const count = Number(SEQUENCES ?? plan.sequences);
  const seeds = Array.from({ length: count }, (_, nth) => Number(SEED) + nth);
  test.setTimeout(60_000 + count * 30_000);
  const inTurn = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
      await runSequence(seed, servers, plan, taken);
  };
  await Promise.all(Array.from({ length: plan.atOnce }, inTurn));
  if (SEQUENCES === undefined) expect([...taken.keys()]).toEqual(expect.arrayContaining(plan.mustTake));
}

async function runSequence<D extends Driver>(
  seed: number,
  servers: Servers,
  { steps, maxCommands, begin }: Plan<D>,
  taken: Map<string, number>,
): Promise<void> {
  const commands = fc.commands(commandsOf(steps, taken), { maxCommands, size: "max" });
  const property = fc.asyncProperty(commands, async (commands) => {
    const driver = await begin();
    const world: World<D> = {
      ...servers,
      driver,
      emails: [0, 1].map((number) => `visitor-${number}-${crypto.randomUUID()}@example.com`),
      tabs: [{}, {}, {}, {}],
      newest: [],
      keepsCookies: [true, true],
      trials: new Set(),
      declined: new Map(),
    };
    try {
      for (const tab of [0, 2]) {
        await driver.open(tab, pathOf(PLANS[0]));
        world.tabs[tab] = { shown: await driver.look(tab) };
      }
      await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
      await expectTrials(world);
      for (const [tab, { shown }] of world.tabs.entries()) if (shown) await expectWayOn(world, tab);
    } finally {
      await driver.dispose();
    }
  });
  await fc.assert(property, { seed, numRuns: 1, unbiased: true, endOnFailure: true });
}

test("over HTTP every page agrees with the API and Stripe, and every open page can be finished [S17] [S18] [S20] [S22] [S23] [S30] [S31] [S32]", async ({
  servers,
}) => {
  const begin = async () => httpDriver(servers);
  const mustTake = Object.keys(STEPS_OVER_HTTP);
  await runSequences(servers, { steps: STEPS_OVER_HTTP, sequences: 44, maxCommands: 36, mustTake, atOnce: 3, begin });
});

test("in Chromium every page agrees with the API and Stripe, and every open page can be finished [S17] [S18] [S20] [S23] [S32]", async ({
  servers,
  browser,
}) => {
  const begin = () => browserDriver(browser, servers.site.url);
  const mustTake = Object.keys(STEPS_IN_BROWSER).filter((name) => !(name in STEPS_OVER_HTTP));
  await runSequences(servers, { steps: STEPS_IN_BROWSER, sequences: 8, maxCommands: 24, mustTake, atOnce: 2, begin });
});
