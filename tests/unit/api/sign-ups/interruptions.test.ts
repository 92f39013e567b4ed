import { expect, test } from "vitest";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import type { StripeFault } from "../../../simulation/stripe/stripe-model";
import { answersOf } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { look, signUpsInProcess } from "./sign-ups";
import { SITUATIONS, type Situation, TRIGGERS, type Trigger } from "./situations";

/* At each step a call fails, the process dies or another caller interferes. The result is the same as without it. */

stopClock();

const WAYS = [
  "dies",
  "loses its answer",
  "gets a 409",
  "gets a 429",
  "gets a kept 400",
  "gets a 500",
  "gets a 500 after its work",
];
const FAULTS: Record<string, StripeFault> = {
  "gets a kept 400": "refused",
  "gets a 500": "before",
  "gets a 500 after its work": "after",
};
const isOfStripe = (step: string) => /^(GET|POST|DELETE) /.test(step);
/** A request that only reads has no work to lose and uses no idempotency key. */
const isWayOf = (step: string, way: string) =>
  (isOfStripe(step) || !way.startsWith("gets")) && !(/^(GET|SELECT)/.test(step) && /loses|after|409/.test(way));

/** @param step its number @param ask pulls another trigger */
type Interrupt = (step: number, ask: (trigger: Trigger) => Promise<void>) => Promise<void> | string | undefined;

/** Somebody moves a sign-up on, which is interrupted, and then others do, in turn. */
async function live(situation: Situation, trigger: Trigger | undefined, interrupt: Interrupt, next: Trigger[]) {
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
  const signUp = await SITUATIONS[situation](api);
  const pull = (one: Trigger) => TRIGGERS[one](api, signUp);
  const seen = () => JSON.stringify({ ...look(api, signUp), checkIn: undefined });
  api.instead.set("", async (url, request) => {
    const fault = await interruption(`${request.method} ${url.pathname}`);
    if (fault?.startsWith("gets a 4")) return refusal(Number(fault.slice(-3)), "rate_limit");
    const answer = await answersOf(api.model, FAULTS[fault ?? ""])(url, request);
    if (fault === "loses its answer") throw new TypeError("fetch failed");
    return answer;
  });
  isCounting = true;
  if (trigger) await pull(trigger).catch(() => undefined);
  isCounting = false;
  const ends: string[] = [];
  for (const one of next) {
    await pull(one);
    ends.push(seen());
  }
  return { steps, ends };
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
])("%s, %s: whichever step fails, in whatever way, the same question again ends it", async (situation, trigger) => {
  const whole = await live(situation, trigger, NEVER, [trigger]);
  expect(whole.steps.length).toBeGreaterThan(2);
  for (const [at, name] of whole.steps.entries()) {
    for (const way of WAYS.filter((one) => isWayOf(name, one))) {
      // The stripe package tries each call twice, unless Stripe refused it.
      const isTriedTwice = isOfStripe(name) && way !== "gets a kept 400";
      const last = way === "dies" ? Infinity : at + Number(isTriedTwice);
      const interrupt = (step: number) => (step >= at && step <= last ? way : undefined);
      const next: Trigger[] = way === "dies" ? ["cron", trigger] : [trigger];
      expect((await live(situation, trigger, interrupt, next)).ends.at(-1), `${name} ${way}`).toBe(whole.ends[0]);
    }
  }
});

const RACERS: Trigger[] = ["POST", "status", "card event", "cron", "not me"];

const PAIRS = RACERS.flatMap((one) => RACERS.map((other) => [one, other] as const));

test.each(PAIRS)("between any two steps of %s comes %s: one trial, each message once", async (one, other) => {
  // Whoever was refused asks again; after "not me" the trial ends, or never begins.
  const turns: Trigger[][] =
    other === "not me" ? [[one, other], [other]] : one === "not me" ? [[other, one], [one]] : [[one]];
  const allowed: (string | undefined)[] = [];
  for (const next of turns) allowed.push((await live("pending, a card", undefined, NEVER, next)).ends.at(-1));
  const { steps } = await live("pending, a card", one, NEVER, []);
  for (const [at, name] of steps.entries()) {
    const interrupt: Interrupt = async (step, ask) => (step === at ? ask(other) : undefined);
    const { ends } = await live("pending, a card", one, interrupt, [one, other]);
    expect(allowed, name).toContain(ends[1]);
  }
});

test("a sign-up that has changed since it was read is not deleted", async () => {
  const { services, pending, find } = signUpsInProcess();
  const read = await pending();
  const written = await services.signUps.write(read, { columns: { stripe_customer_id: "cus_2" } });
  await services.signUps.delete(read);
  expect([await find(read.id), written?.version]).toEqual([written, read.version + 1]);
});

test("a failed read does not end the attempt of a slow creation: one sign-up, one subscription", async () => {
  const api = signUpsInProcess();
  const { services, instead, model, sent } = api;
  const signUp = await SITUATIONS["pending, a card"](api);
  instead.set("POST subscriptions", async () => {
    instead.clear();
    instead.set("GET setup_intents", refusal(500, "api_error", "api_error"));
    await expect(signUpStatus(signUp.id, services)).rejects.toThrow();
    instead.clear();
    expect(await signUpStatus(signUp.id, services)).toMatchObject({ status: "trial" });
    return undefined;
  });
  await TRIGGERS["card event"](api, signUp);
  expect(model.all("subscription").map(({ id }) => id)).toEqual([(await api.find(signUp.id)).stripe_subscription_id]);
  expect(new Set(sent.filter(({ call }) => call === "POST subscriptions").map(({ key }) => key)).size).toBe(1);
});
