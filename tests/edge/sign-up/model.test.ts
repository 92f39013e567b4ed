import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { type FaultyProxy, startFaultyProxy } from "../../support/faults/faulty-proxy";
import { opened, STEP_KINDS, steps, taken } from "../../support/sign-up-model/commands";
import { expectTrials, Model, type World } from "../../support/sign-up-model/world";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startBackend, startSite } from "../../support/workers/workers";

/*
 * The sign-up as a state machine: tabs, plans, devices, lost answers and cookies, declined cards, the bank, time. After
 * each step what the page says is compared with a model, and with what API and Stripe hold.
 *
 * A failure prints its seed, path and replayPath; with them in MODEL_SEED, MODEL_PATH and MODEL_REPLAY_PATH it is run again.
 */

const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 300);
const AT_ONCE = 3;

let backend: Awaited<ReturnType<typeof startBackend>>;
const lanes: { site: RunningWorker; apiProxy: FaultyProxy; stripeProxy: FaultyProxy }[] = [];

beforeAll(async () => {
  backend = await startBackend(await fastApi());
  for (let lane = 0; lane < AT_ONCE; lane += 1) {
    const apiProxy = await startFaultyProxy(backend.api.url, { keepsHost: true });
    const stripeProxy = await startFaultyProxy(backend.stripe.url);
    const vars = { SUBSCRIPTION_API_URL: apiProxy.url, STRIPE_API_URL: stripeProxy.url };
    lanes.push({ site: await startSite({ vars }), apiProxy, stripeProxy });
  }
});

afterAll(async () => {
  await Promise.all(
    lanes.flatMap(({ site, apiProxy, stripeProxy }) => [site, apiProxy, stripeProxy]).map((part) => part.dispose()),
  );
  await backend.dispose();
});

function worldOn({ site, apiProxy, stripeProxy }: (typeof lanes)[number]): World {
  const visitor = siteVisitor(site);
  const { api, stripe } = backend;
  return {
    browsers: [cookieBrowser(visitor), cookieBrowser(visitor)],
    emails: [0, 1].map((number) => `visitor-${number}-${crypto.randomUUID()}@example.com`),
    tabs: Array.from({ length: 4 }, () => ({ nonce: "", secret: "", returnToken: "", link: "", sent: {} })),
    api,
    stripe,
    apiProxy,
    stripeProxy,
  };
}

const { MODEL_SEED, MODEL_PATH, MODEL_REPLAY_PATH } = process.env;

test.concurrent.each(Array.from({ length: AT_ONCE }, (_, lane) => lane))(
  "in any order of steps each page says what is true (part %i) [S17] [S18] [S19] [S20] [S21] [S22] [S23] [S29] [S30] [S31] [S32]",
  { timeout: 900_000 },
  async (lane) => {
    const parts = lanes[lane];
    if (!parts) throw new Error("There is no such part");
    const seed = MODEL_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(MODEL_SEED);
    await fc.assert(
      fc.asyncProperty(
        fc.commands(steps, {
          maxCommands: 18,
          size: "max",
          ...(MODEL_REPLAY_PATH && { replayPath: MODEL_REPLAY_PATH }),
        }),
        async (commands) => {
          const [model, world] = [new Model(), worldOn(parts)];
          await opened(model, world);
          await fc.asyncModelRun(() => ({ model, real: world }), commands);
          await expectTrials(world, model);
        },
      ),
      { numRuns: Math.ceil(SEQUENCES / AT_ONCE), seed, ...(MODEL_PATH && { path: MODEL_PATH }) },
    );
  },
);

test("every kind of step was among them", () => {
  const rare = STEP_KINDS.filter((kind) => (taken.get(kind) ?? 0) < SEQUENCES / 50);
  expect(rare).toEqual([]);
});
