import { afterAll, expect, test } from "vitest";
import { stripeAt } from "../support/visitors/visitor";
import { startUpstream } from "../support/workers/upstream";
import { startStripeSimulator } from "../support/workers/workers";
import type { Fact } from "./fact";
import { FACTS } from "./facts/facts";
import { newCustomer, newTrial } from "./facts/situations";
import { runFacts } from "./run-facts";
import { SIMULATED } from "./simulator-world";

/* How `npm run test:stripe` behaves with a key: it never touches live mode, says what differs, and leaves nothing at Stripe. */

const simulator = await startStripeSimulator();
const counter = await startUpstream();
afterAll(async () => {
  counter.dispose();
  await simulator.dispose();
});

/** Runs some facts. Returns what it said. */
async function run(facts: Fact[], account: Partial<typeof SIMULATED & { url: string }> = {}) {
  const lines: string[] = [];
  const hold = await runFacts({
    account: { ...SIMULATED, url: simulator.url, ...account },
    facts,
    say: (line) => lines.push(line),
  });
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
  const old = { page, calls: async () => ({ code: "old" }) } as const;
  const different: Fact = { ...old, situation: "a fact that differs", comes: { code: "new" } };
  const right: Fact = { ...old, situation: "a fact that holds", comes: { code: "old" } };
  const stripe = stripeAt(simulator);
  let state = async () => ({});
  const failing: Fact = {
    ...{ situation: "a fact that fails halfway", comes: {}, page },
    async calls(world) {
      const [customer, trial, price] = [await newCustomer(world), await newTrial(world), await world.newPrice(100)];
      state = async () => ({
        customer: (await stripe.customers.retrieve(customer.id)).deleted ?? false,
        onClock: (await stripe.customers.retrieve(trial.customer)).deleted ?? false,
        price: !(await stripe.prices.retrieve(price.id)).active,
        product: !(await stripe.products.retrieve(String(price.product))).active,
      });
      expect(await state()).toEqual({ customer: false, onClock: false, price: false, product: false });
      throw new Error("halfway");
    },
  };
  const { hold, lines } = await run([different, right, failing]);
  expect(lines.slice(0, -1).sort()).toEqual([
    `✓ ${right.situation}`,
    `✗ ${different.situation}\n    { code: 'old' } instead of { code: 'new' }\n    ${page}`,
    `✗ ${failing.situation}\n    halfway\n    ${page}`,
  ]);
  expect(lines.at(-1)).toBe("1 of 3 true, 2 different; everything made was removed");
  expect(hold).toBe(false);
  expect(await state(), "removed").toEqual({ customer: true, onClock: true, price: true, product: true });
});
