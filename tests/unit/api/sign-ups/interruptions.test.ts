import { expect, test } from "vitest";
import { servicesFor } from "../../../../functions/subscription-api/services";
import type { StripeFault } from "../../../simulation/stripe/stripe-model";
import { answersOf } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { configurationOf, look, signUpsInProcess } from "./sign-ups";
import { type Begin, type Pull, SITUATIONS, type Situation, TRIGGERS, type Trigger } from "./situations";

/* At each step a call fails, the process dies or another caller interferes. The result is the same as without it. */

stopClock();

const FAULTS: Record<string, StripeFault> = {
  "gets a kept 400": "refused",
  "gets a 500": "before",
  "gets a 500 after its work": "after",
};
const WAYS = ["dies", "loses its answer", "gets a 409", "gets a 429", ...Object.keys(FAULTS)];
const isOfStripe = (step: string) => /^(GET|POST|DELETE) /.test(step);
/** A request that only reads has no work to lose and uses no idempotency key. */
const isWayOf = (step: string, way: string) =>
  (isOfStripe(step) || !way.startsWith("gets")) && !(/^(GET|SELECT)/.test(step) && /loses|after|409/.test(way));

/** @param step its number @param ask lets another caller go first */
type Interrupt = (step: number, ask: (other: Pull) => Promise<void>) => Promise<void> | string | undefined;

/** Somebody moves a sign-up on, which is interrupted, and then others do, in turn. */
async function live(begin: Begin, first: Pull | undefined, interrupt: Interrupt, next: Pull[]) {
  const steps: string[] = [];
  let isCounting = false;
  const interruption = async (step: string): Promise<string | undefined> => {
    if (!isCounting) return undefined;
    const fault = await interrupt(steps.push(step) - 1, async (other) => {
      isCounting = false;
      await pull(other).catch(() => undefined);
      isCounting = true;
    });
    if (fault === "dies") throw new Error("D1_ERROR: Network connection lost.");
    return fault || undefined;
  };
  const api = signUpsInProcess({
    onePerPerson: true,
    io: async (sql, effect) => {
      const fault = await interruption(sql.trim());
      const result = effect();
      if (fault !== undefined) throw new Error("D1_ERROR: D1 DB storage caused object to be reset.");
      return result;
    },
  });
  const signUp = await begin(api);
  const pull = (one: Pull) => one(api, signUp);
  api.instead.set("", async (url, request) => {
    const fault = await interruption(`${request.method} ${url.pathname}`);
    if (fault?.startsWith("gets a 4")) return refusal(Number(fault.slice(-3)), "rate_limit");
    const answer = await answersOf(api.model, FAULTS[fault ?? ""])(url, request);
    if (fault === "loses its answer") throw new TypeError("fetch failed");
    return answer;
  });
  isCounting = true;
  if (first) await pull(first).catch(() => undefined);
  isCounting = false;
  const ends: string[] = [];
  for (const one of next) {
    await pull(one);
    ends.push(JSON.stringify({ ...look(api, signUp), checkIn: undefined }));
  }
  return { steps, ends, api };
}

const NEVER = () => undefined;

test.each<[situation: Situation, trigger: Trigger]>([
  ["pending, nothing", "POST"],
  ["pending, a card", "card event"],
  ["pending without a plan, a card", "status"],
  ["pending, a card that had a trial", "card event"],
  ["pending, a card of an address that had a trial", "card event"],
  ["pending before the last try, a card's form", "declined event"],
  ["pending for a day, a card's form", "cron"],
  ["pending, a card's form", "not me"],
  ["trialing, trialing", "not me"],
  ["trialing, canceled", "subscription event"],
  ["active, made three times", "subscription event"],
])("%s, %s: whichever step fails, in whatever way, the same question again ends it", async (situation, trigger) => {
  const [begin, pull]: [Begin, Pull] = [SITUATIONS[situation], TRIGGERS[trigger]];
  const whole = await live(begin, pull, NEVER, [pull]);
  expect(whole.steps.length).toBeGreaterThan(2);
  for (const [at, name] of whole.steps.entries()) {
    for (const way of WAYS.filter((one) => isWayOf(name, one))) {
      // The stripe package tries each call twice, unless Stripe refused it.
      const isTriedTwice = isOfStripe(name) && way !== "gets a kept 400";
      const last = way === "dies" ? Infinity : at + Number(isTriedTwice);
      const interrupt = (step: number) => (step >= at && step <= last ? way : undefined);
      const next = way === "dies" ? [TRIGGERS.cron, pull] : [pull];
      expect((await live(begin, pull, interrupt, next)).ends.at(-1), `${name} ${way}`).toBe(whole.ends[0]);
    }
  }
});

/** Before each step of the first caller in turn, the second one acts; then come the next callers. */
async function* interferences(begin: Begin, first: Pull, second: Pull, next: Pull[]) {
  const { steps } = await live(begin, first, NEVER, []);
  expect(steps.length, "steps of the first caller").toBeGreaterThan(2);
  for (const [at, name] of steps.entries()) {
    const lived = await live(begin, first, async (step, ask) => (step === at ? ask(second) : undefined), next);
    yield { ...lived, name };
  }
}

const RACERS: Trigger[] = ["POST", "card event", "not me"];
const RACES = RACERS.flatMap((one) => RACERS.map((other) => ({ one, other })));

test.each(RACES)("between any two steps of $one comes $other: one trial, each message once", async ({ one, other }) => {
  const [card, notMe]: [Begin, Pull] = [SITUATIONS["pending, a card"], TRIGGERS["not me"]];
  const [first, second]: [Pull, Pull] = [TRIGGERS[one], TRIGGERS[other]];
  // Whoever was refused asks again; after "not me" the trial ends, or never begins, or has begun at Stripe alone.
  const begun = TRIGGERS[one === "not me" ? other : one];
  const turns: [Begin, Pull[]][] = [one, other].includes("not me")
    ? [
        [card, [begun, notMe]],
        [card, [notMe]],
        [SITUATIONS["card_set_up, a subscription"], [notMe]],
      ]
    : [[card, [TRIGGERS[one]]]];
  const allowed: (string | undefined)[] = [];
  for (const [from, next] of turns) allowed.push((await live(from, undefined, NEVER, next)).ends.at(-1));
  for await (const { ends, name } of interferences(card, first, second, [first, second]))
    expect(allowed, name).toContain(ends[1]);
});

test.each([
  { what: "one card and two addresses", email: "bob@example.com", card: "a card" },
  { what: "two cards and one address", email: validRequest.email, card: "another card" },
  { what: "two cards and one mailbox", email: "ada+2@example.com", card: "another card" },
])("two sign-ups at once with $what have one trial, whatever the order of their steps", async ({ email, card }) => {
  const begin: Begin = async (api) => {
    api.enterCard(await api.pending({ email }), card);
    return SITUATIONS["pending, a card"](api);
  };
  const second: Pull = async (api) => {
    const [{ id } = {}] = api.rows("SELECT id FROM sign_ups ORDER BY rowid LIMIT 1");
    return TRIGGERS.status(api, await api.find(String(id)));
  };
  const { status } = TRIGGERS;
  for await (const { api, name } of interferences(begin, status, second, [status, second])) {
    const trials = api.rows("SELECT id FROM sign_ups WHERE status = 'trialing'").length;
    const subscriptions = api.model.all("subscription").length;
    expect({ trials, subscriptions }, `the second came before: ${name}`).toEqual({ trials: 1, subscriptions: 1 });
  }
});

test("a sign-up that has changed since it was read is not deleted", async () => {
  const { services, pending, find } = signUpsInProcess();
  const read = await pending();
  const written = await services.signUps.write(read, { columns: { stripe_customer_id: "cus_2" } });
  await services.signUps.delete(read);
  expect([await find(read.id), written?.version]).toEqual([written, read.version + 1]);
});

test("one customer is made, although another Worker, which sends another URL of the API, makes it and then dies", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, nothing"](api);
  const { payments } = servicesFor(configurationOf({ ...api.env, PUBLIC_URL: "http://127.0.0.1:8788" }));
  api.before("POST customers", () => payments.findOrCreateCustomer(signUp));
  expect(await TRIGGERS.POST(api, signUp)).toMatchObject({ status: "created" });
  expect(api.model.all("customer")).toHaveLength(1);
});
