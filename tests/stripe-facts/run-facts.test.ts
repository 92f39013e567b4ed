import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { stripeAt } from "../support/visitors/visitor";
import { startUpstream } from "../support/workers/upstream";
import { startStripeSimulator } from "../support/workers/workers";
import type { Fact } from "./fact";
import { FACTS, PUBLIC_FACTS, UNSEEN_FACTS } from "./facts/facts";
import { newCustomer, newTrial } from "./facts/situations";
import { runFacts } from "./run-facts";
import { SIMULATED } from "./simulator-world";

/* How `npm run test:stripe` behaves with a key, against a stand-in for Stripe: the simulator, behind a proxy that changes its answers. */

const simulator = await startStripeSimulator();
const standIn = await startUpstream();
const agent = new Agent();
afterAll(async () => {
  standIn.dispose();
  agent.destroy();
  await simulator.dispose();
});

type Answer = { status: number; body: string };
type Change = (answer: Answer, call: string) => Answer;

/** Passes calls on and changes the answers. @param isDown says whether a call gets no answer */
function standInFor(change: Change = (answer) => answer, isDown = (_: string) => false): void {
  standIn.answers(async (response, { method, url, headers, body }) => {
    const call = `${method} ${url.replace(/\?.*/, "")}`;
    if (isDown(call)) return response.destroy();
    const passed = request(new URL(url, simulator.url), { method, headers, agent });
    const answer = await new Promise<Answer & { headers: object }>((resolve, reject) => {
      passed.once("error", reject).once("response", async (given) => {
        resolve({ status: given.statusCode ?? 0, headers: given.headers, body: await text(given) });
      });
      passed.end(body);
    });
    const changed = change(answer, call);
    response.writeHead(changed.status, { "content-type": "application/json", "request-id": "req_stand_in" });
    response.end(changed.body);
  });
}

/** Runs some facts against the stand-in. Returns what it said. */
async function run(facts: Fact[], account: Partial<typeof SIMULATED> = {}) {
  const lines: string[] = [];
  const hold = await runFacts({
    account: { ...SIMULATED, url: standIn.url, ...account },
    ...{ facts, publicFacts: [], unseenFacts: [] },
    say: (line) => lines.push(line),
  });
  return { hold, lines, asked: standIn.calls.length };
}

const factAbout = (situation: string): Fact => {
  const found = [...FACTS, ...PUBLIC_FACTS].find((fact) => fact.situation.includes(situation));
  if (!found) throw new Error(`No fact is about ${situation}`);
  return found;
};

/** Changes a field in a JSON answer. */
const field = (body: string, name: string, value: unknown) =>
  body.replace(new RegExp(`"${name}":("[^"]*"|[\\w.]+)`, "g"), `"${name}":${JSON.stringify(value)}`);

beforeEach(() => standInFor());

test.each([
  { what: "a live secret key", account: { secretKey: "sk_live_123" }, says: /^STRIPE_SECRET_KEY is not a test key/ },
  { what: "a live restricted key", account: { secretKey: "rk_live_1" }, says: /^STRIPE_SECRET_KEY is not a test key/ },
  { what: "a live publishable key", account: { publishableKey: "pk_live_1" }, says: /^STRIPE_PUBLISHABLE_KEY is not/ },
  { what: "no key", account: { secretKey: "" }, says: /^Set STRIPE_SECRET_KEY/ },
])("$what is refused before anything is asked", async ({ account, says }) => {
  expect(await run(FACTS, account)).toEqual({ hold: false, lines: [expect.stringMatching(says)], asked: 0 });
});

describe("where Stripe differs,", () => {
  test.each<{ what: string; about: string; change: Change; says: string }>([
    {
      what: "a trial of another length",
      about: "a trial has its dates",
      change: ({ status, body }, call) => ({
        status,
        body: call.startsWith("GET /v1/subscriptions/") ? field(body, "trial_start", 0) : body,
      }),
      says: "days: ",
    },
    {
      what: "a decline under another code",
      about: "pm_card_chargeDeclinedExpiredCard",
      change: ({ status, body }) => ({ status, body: status === 402 ? field(body, "code", "card_expired") : body }),
      says: 'code: "card_expired" instead of "expired_card"',
    },
    {
      what: "a reused key that is accepted",
      about: "another body under a used idempotency key",
      change: (answer) =>
        answer.status === 400 ? { status: 200, body: '{"id":"cus_1","object":"customer"}' } : answer,
      says: "status: nothing instead of 400",
    },
    {
      what: "an archived price that stays among the active ones",
      about: "an archived price is not",
      change: ({ status, body }, call) => ({
        status,
        body: call.startsWith("GET") ? field(body, "active", true) : body,
      }),
      says: "active: true instead of false",
    },
    {
      what: "a publishable key that reads nothing",
      about: "with the publishable key and the client secret",
      change: (answer, call) =>
        call.startsWith("GET /v1/setup_intents/") ? { status: 403, body: '{"error":{"message":"No"}}' } : answer,
      says: "http: 403 instead of 200",
    },
  ])("$what is said with its fact and its page", async ({ about, change, says }) => {
    standInFor(change);
    const fact = factAbout(about);
    const { hold, lines } = await run([fact, factAbout("a product keeps its name")]);
    const said = lines.find((line) => line.startsWith(`✗ ${fact.situation}\n`));
    expect(said, lines.join("\n")).toContain(says);
    expect(said).toContain(fact.page);
    expect(lines).toContain(`✓ ${factAbout("a product keeps its name").situation}`);
    expect(lines.at(-1)).toMatch(/^1 true, 1 different; /);
    expect(hold).toBe(false);
  });
});

describe("during an outage", () => {
  test("before the first fact, one line says so", async () => {
    standInFor(undefined, () => true);
    const { hold, lines } = await run(FACTS);
    expect({ hold, lines }).toEqual({ hold: false, lines: [expect.stringMatching(/^Stripe cannot be reached/)] });
  });

  test("that begins later, the other facts are not asked, and what is left is named", async () => {
    standInFor(undefined, (call) => call.startsWith("POST /v1/subscriptions") || call.startsWith("DELETE"));
    const trial: Fact = {
      ...factAbout("a trial has its dates"),
      calls: async (world) => ({ id: (await newTrial(world)).id }),
    };
    const { hold, lines } = await run(Array.from({ length: 40 }, () => trial));
    expect(lines.at(-1)).toMatch(/^0 true, 16 different, 24 not asked; left at Stripe: \d+$/);
    expect(lines).toContainEqual(expect.stringMatching(/^clock_\w+ is left: /));
    expect(hold).toBe(false);
  });
});

test("a key that Stripe does not know is answered with where to copy it", async () => {
  standInFor(() => ({ status: 401, body: '{"error":{"type":"invalid_request_error","message":"Invalid API Key"}}' }));
  expect((await run(FACTS)).lines).toEqual([expect.stringMatching(/^Stripe does not know the key: copy it again/)]);
});

describe("what a run made", () => {
  const stripe = stripeAt(simulator);
  let made: string[] = [];
  /** Makes one of each kind, then fails. */
  const failing: Fact = {
    ...{ situation: "a fact that fails halfway", comes: {}, page: "https://docs.stripe.com/api" },
    async calls(world) {
      const customer = await newCustomer(world);
      const trial = await newTrial(world);
      const price = await world.newPrice(100);
      const endpoint = {
        api_version: "2026-10-28.endive",
        enabled_events: ["customer.created"],
        url: "https://example.com",
      };
      await world.stripe.rawRequest("POST", "/v1/webhook_endpoints", endpoint);
      made = [customer.id, trial.customer, price.id, String(price.product)];
      throw new Error("halfway");
    },
  };

  test("is removed, also after a failure", async () => {
    const { lines } = await run([failing]);
    expect(lines).toEqual([
      expect.stringContaining("a fact that fails halfway\n    halfway"),
      "0 true, 1 different; everything made was removed",
    ]);
    const [customer = "", onClock = "", price = "", product = ""] = made;
    expect({
      customer: (await stripe.customers.retrieve(customer)).deleted,
      onClock: (await stripe.customers.retrieve(onClock)).deleted,
      price: (await stripe.prices.retrieve(price)).active,
      product: (await stripe.products.retrieve(product)).active,
      endpoints: (await stripe.webhookEndpoints.list()).data.filter(({ url }) => url === "https://example.com").length,
    }).toEqual({ customer: true, onClock: true, price: false, product: false, endpoints: 0 });
  });

  test("and cannot be removed is named", async () => {
    standInFor((answer, call) =>
      call.startsWith("DELETE /v1/customers") ? { status: 400, body: '{"error":{"message":"No"}}' } : answer,
    );
    const { hold, lines } = await run([factAbout("a customer keeps what")]);
    expect(hold).toBe(false);
    expect(lines).toContainEqual(expect.stringMatching(/^cus_\w+ is left: No/));
    expect(lines.at(-1)).toBe("1 true, 0 different; left at Stripe: 1");
  });
});

test.each([
  { what: "is interrupted", end: (interrupted: AbortController) => interrupted.abort() },
  {
    what: "has taken two and a half minutes",
    end: () => void vi.spyOn(performance, "now").mockReturnValue(performance.now() + 150_001),
  },
])("a run that $what asks nothing more, and removes what it made", async ({ end }) => {
  onTestFinished(() => void vi.restoreAllMocks());
  const lines: string[] = [];
  const interrupted = new AbortController();
  const fact: Fact = {
    ...factAbout("a customer keeps what"),
    async calls(world) {
      await newCustomer(world);
      end(interrupted);
      return {};
    },
  };
  const facts = [fact, ...Array.from({ length: 20 }, () => factAbout("a product keeps"))];
  await runFacts({
    ...{ account: { ...SIMULATED, url: standIn.url }, facts, publicFacts: [], unseenFacts: [] },
    say: (line) => lines.push(line),
    stop: interrupted.signal,
  });
  expect(lines.at(-1)).toMatch(/ not asked; everything made was removed$/);
});

test("without a publishable key, and in test mode, the facts that are not asked say why", async () => {
  const lines: string[] = [];
  const account = { ...SIMULATED, url: standIn.url, publishableKey: "" };
  const [first] = UNSEEN_FACTS;
  const unseenFacts = first ? [first] : [];
  const hold = await runFacts({
    account,
    facts: [],
    publicFacts: PUBLIC_FACTS,
    unseenFacts,
    say: (line) => lines.push(line),
  });
  expect(hold).toBe(true);
  expect(lines[0]).toBe(`– ${first?.situation}: not in test mode, because ${first?.notInTestMode}`);
  expect(lines.slice(1, -1)).toEqual(
    PUBLIC_FACTS.map(({ situation }) => `– ${situation}: set STRIPE_PUBLISHABLE_KEY (pk_test_…)`),
  );
});
