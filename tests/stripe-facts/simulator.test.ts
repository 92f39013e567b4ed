import { afterAll, describe, expect, test } from "vitest";
import { startUpstream } from "../support/workers/upstream";
import type { Fact } from "./fact";
import { FACTS, PUBLIC_FACTS, SIMULATOR_FACTS } from "./facts/facts";
import { newCustomer, newTrial } from "./facts/situations";
import { runFacts } from "./run-facts";
import { SIMULATED, startSimulatorWorld } from "./simulator-world";

/* What we rely on at Stripe is true in the simulator. `npm run test:stripe` asks Stripe's test mode the same. */

const { url, world, dispose } = await startSimulatorWorld();
const counter = await startUpstream();
afterAll(async () => {
  counter.dispose();
  await dispose();
});

describe("in the simulator as at Stripe,", () => {
  test.each([...FACTS, ...PUBLIC_FACTS, ...SIMULATOR_FACTS])("$situation", async ({ calls, comes }) => {
    expect(await calls(world)).toEqual(comes);
  });
});

// `npm run test:stripe` never touches live mode, says what differs, and leaves nothing at Stripe.

/** Runs some facts. Returns what it said. */
async function run(facts: Fact[], account: Partial<typeof SIMULATED & { url: string }> = {}) {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const hold = await runFacts({ account: { ...SIMULATED, url, ...account }, facts, say });
  return { hold, lines };
}

test.each([
  { what: "a live secret key", account: { secretKey: "sk_live_123" }, says: /^STRIPE_SECRET_KEY is not a test key/ },
  { what: "a live publishable key", account: { publishableKey: "pk_live_1" }, says: /^STRIPE_PUBLISHABLE_KEY is not/ },
  { what: "no key", account: { secretKey: "" }, says: /^Set STRIPE_SECRET_KEY/ },
])("$what is refused before anything is asked", async ({ account, says }) => {
  const refused = await run(FACTS, { ...account, url: counter.url });
  expect(refused).toEqual({ hold: false, lines: [expect.stringMatching(says)] });
  expect(counter.calls).toEqual([]);
});

test("a fact that differs or fails is said with its page, and fails the run; others are asked, and all that was made goes", async () => {
  const page = "https://docs.stripe.com/api";
  const calls = async () => ({ code: "old" });
  const { customers, prices, products } = world.stripe;
  let state = async () => ({});
  const failing: Fact["calls"] = async (connected) => {
    const [customer, trial] = [await newCustomer(connected), await newTrial(connected)];
    const price = await connected.newPrice(100);
    state = async () => ({
      customer: (await customers.retrieve(customer.id)).deleted ?? false,
      onClock: (await customers.retrieve(trial.customer)).deleted ?? false,
      price: !(await prices.retrieve(price.id)).active,
      product: !(await products.retrieve(String(price.product))).active,
    });
    expect(await state()).toEqual({ customer: false, onClock: false, price: false, product: false });
    throw new Error("halfway");
  };
  const { hold, lines } = await run([
    { situation: "a fact that differs", calls, comes: { code: "new" }, page },
    { situation: "a fact that holds", calls, comes: { code: "old" }, page },
    { situation: "a fact that fails halfway", calls: failing, comes: {}, page },
  ]);
  expect(lines.slice(0, -1).sort()).toEqual([
    "✓ a fact that holds",
    `✗ a fact that differs\n    { code: 'old' } instead of { code: 'new' }\n    ${page}`,
    `✗ a fact that fails halfway\n    halfway\n    ${page}`,
  ]);
  expect(lines.at(-1)).toBe("1 of 3 true, 2 different; everything made was removed");
  expect(hold).toBe(false);
  expect(await state(), "removed").toEqual({ customer: true, onClock: true, price: true, product: true });
});
