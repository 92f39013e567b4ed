import { test as base } from "@playwright/test";
import fc from "fast-check";
import { type FaultyProxy, startFaultyProxy } from "../../support/faults/faulty-proxy";
import { fields } from "../../support/visitors/site-visitor";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, startBackend, startSite } from "../../support/workers/workers";
import { browserDriver } from "./browser-driver";
import { httpDriver } from "./http-driver";
import { expectTrials } from "./page";
import { rowsOverHttp } from "./rows-over-http";
import { opened, type Step, stepsInBrowser, stepsOverHttp } from "./steps";
import { expectWayOn } from "./way-on";
import { type Driver, Model, type World } from "./world";

/*
 * The sign-up as a state machine: tabs, plans, devices, two companies, lost answers, blocked cookies, declined cards, the
 * bank, time. After each step a page says what the model says, and what API and Stripe hold; at the end there is a way on
 * from each page that is open. Each sequence is a test: SEED and SEQUENCES choose them.
 */

const { SEED = "1", SEQUENCES } = process.env;
const seeds = (count: number) => Array.from({ length: Number(SEQUENCES ?? count) }, (_, nth) => Number(SEED) + nth);

interface Parts {
  api: RunningWorker;
  stripe: RunningWorker;
  site: RunningWorker;
  apiProxy: FaultyProxy;
  stripeProxy: FaultyProxy;
}

const test = base.extend<object, { parts: Parts }>({
  parts: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const backend = await startBackend({ ...FAST_API, wrapper: rowsOverHttp });
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

async function runSequence<D extends Driver>(
  seed: number,
  steps: (driverOf: () => D) => fc.Arbitrary<Step>[],
  maxCommands: number,
  parts: Parts,
  begin: () => Promise<D>,
): Promise<void> {
  let current: D;
  const commands = fc.commands(
    steps(() => current),
    { maxCommands, size: "max" },
  );
  const property = fc.asyncProperty(commands, async (commands) => {
    current = await begin();
    parts.apiProxy.repair();
    parts.stripeProxy.repair();
    const emails = [0, 1].map((number) => `visitor-${number}-${crypto.randomUUID()}@example.com`);
    const model = new Model();
    const world: World = { ...parts, driver: current, emails, password: fields.password };
    await opened(model, world);
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    await expectTrials(world, model);
    for (const [tab, { page }] of model.tabs.entries()) if (page) await expectWayOn(model, world, tab);
  });
  await fc.assert(property, { seed, numRuns: 1, unbiased: true, endOnFailure: maxCommands < 30 });
}

for (const seed of seeds(60)) {
  test(`over HTTP each page says what is true, and there is a way on: seed ${seed} [S17] [S18] [S19] [S20] [S21] [S22] [S23] [S29] [S30] [S31] [S32]`, async ({
    parts,
  }) => {
    test.setTimeout(120_000);
    await runSequence(seed, stepsOverHttp, 30, parts, async () => httpDriver(parts.site, parts.stripe));
  });
}

for (const seed of seeds(12)) {
  test(`in Chromium each page says what is true, and there is a way on: seed ${seed}`, async ({ parts, browser }) => {
    test.setTimeout(300_000);
    const started: { dispose: () => Promise<void> }[] = [];
    const begin = async () => {
      await Promise.all(started.splice(0).map((driver) => driver.dispose()));
      const driver = await browserDriver(browser, parts.site.url);
      started.push(driver);
      return driver;
    };
    await runSequence(seed, stepsInBrowser, 18, parts, begin);
    await Promise.all(started.map((driver) => driver.dispose()));
  });
}
