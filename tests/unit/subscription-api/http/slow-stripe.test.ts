import { describe, expect, test, vi } from "vitest";
import type { SignUp } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { answersOf, apiInProcess } from "../../../support/api-in-process/api";
import { inTime, stopClock } from "../../../support/api-in-process/clock";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { validRequest } from "../../../support/visitors/visitor";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const SLOW_MS = 1_000;

stopClock(NOW, { timers: true });

/** Stripe answers after so long, as its model does; Infinity for never. */
const answersIn = (milliseconds: number) => () =>
  new Promise<undefined>((resolve) => {
    if (milliseconds < Infinity) setTimeout(() => resolve(undefined), milliseconds);
  });

/** An API with so many pending sign-ups of one address, the oldest first, and how a form of it is answered. */
async function beside(count: number) {
  const world = signUpsInProcess();
  const pending: SignUp[] = [];
  for (let n = 0; n < count; n += 1) {
    const created = new Date(NOW - (count - n) * 1000).toISOString();
    pending.push(await world.pending({}, `created_at = '${created}'`));
  }
  const post = async (change: object = {}, headers: Record<string, string> = {}) => {
    const started = Date.now();
    const body = JSON.stringify({ ...validRequest, ...change });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    const { status } = await inTime(world.ask("/subscription", init), 1);
    return { status, ms: Date.now() - started };
  };
  return { ...world, pending, post };
}

describe("a sign-up with pending ones of its address while Stripe is slow", () => {
  test("checks the latest six of eight concurrently: three calls in a row [H8]", async () => {
    const { post, pending, calls, instead } = await beside(8);
    let [waiting, mostAtOnce] = [0, 0];
    instead.set("", async () => {
      waiting += 1;
      mostAtOnce = Math.max(mostAtOnce, waiting);
      await answersIn(SLOW_MS)();
      waiting -= 1;
      return undefined;
    });
    const { status, ms } = await post();
    expect(status).toBe(200);
    const latest = pending.slice(2).map(({ stripe_setup_intent_id: id }) => `GET setup_intents/${id}`);
    expect(calls.slice(0, 6).sort()).toEqual(latest.sort());
    expect(calls.slice(6)).toEqual(["POST customers", "POST setup_intents"]);
    expect(mostAtOnce).toBe(6);
    expect(ms).toBeGreaterThanOrEqual(3 * SLOW_MS);
    expect(ms).toBeLessThan(4 * SLOW_MS);
  });

  test("waits two seconds for the check and then responds; later answers of Stripe still count [H8]", async () => {
    const { post, pending, enterCard, instead, find, settled } = await beside(3);
    const [, paid] = pending;
    if (!paid) throw new Error("There is no second one");
    enterCard(paid);
    instead.set(`GET setup_intents/${paid.stripe_setup_intent_id}`, answersIn(3 * SLOW_MS));
    const { status, ms } = await post();
    expect(status).toBe(200);
    expect(ms).toBeGreaterThanOrEqual(2 * SLOW_MS);
    expect(ms).toBeLessThan(3 * SLOW_MS);
    await inTime(settled());
    expect(await find(paid.id)).toMatchObject({ status: "trialing" });
    expect((await post()).status).toBe(409);
  });

  test("ends the oldest of over fifty after the response [H8]", async () => {
    const { post, instead, rows, settled } = await beside(52);
    const givenUp = () => rows("SELECT id FROM sign_ups WHERE status = 'ended'");
    instead.set("POST setup_intents/", answersIn(SLOW_MS));
    const { status, ms } = await post();
    expect(status).toBe(200);
    expect(ms).toBeLessThan(SLOW_MS);
    expect(givenUp()).toEqual([]);
    await inTime(settled());
    expect(givenUp()).toHaveLength(2);
  });

  test("waits one second for the sign-up it replaces, which ends even if Stripe never answers [H8]", async () => {
    const { post, instead, rows, settled } = await beside(0);
    expect((await post({}, { "idempotency-key": "first" })).status).toBe(200);
    instead.set("POST setup_intents/", answersIn(Infinity));
    const headers = { "idempotency-key": "second", "replaces-idempotency-key": "first" };
    const { status, ms } = await post({ city: "Boston" }, headers);
    expect(status).toBe(200);
    expect(ms).toBeGreaterThanOrEqual(SLOW_MS);
    expect(ms).toBeLessThan(4 * SLOW_MS);
    await inTime(settled());
    expect(rows("SELECT status FROM sign_ups WHERE idempotency_key = 'first'")).toEqual([{ status: "ended" }]);
  });
});

describe("all Stripe calls of a sign-up", () => {
  /** A deployed API whose Stripe takes so long for each call of these; what it was asked, and when. */
  function deployed(milliseconds: Record<string, number>) {
    const asked: [path: string, at: number][] = [];
    const api = apiInProcess({
      settings: DEPLOYED,
      upstream: async (url, request) => {
        asked.push([url.pathname, Date.now() - NOW]);
        await answersIn(milliseconds[url.pathname] ?? 0)();
        return answersOf(api.model)(url, request);
      },
    });
    const post = async () => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(validRequest),
      };
      const { status } = await inTime(api.ask("https://api.example/subscription", init, "site"), 1);
      return { status, ms: Date.now() - NOW };
    };
    return { ...api, asked, post };
  }

  test("accept a late answer of Stripe [H8]", async () => {
    const { post } = deployed({ "/v1/customers": 3_500, "/v1/setup_intents": 3_500 });
    const { status, ms } = await post();
    expect(status).toBe(200);
    expect(ms).toBeLessThan(8_000);
  });

  test("end within nine seconds of the post, retries included [H8]", async () => {
    const { post, asked } = deployed({ "/v1/customers": 3_900, "/v1/setup_intents": Infinity });
    const { status, ms } = await post();
    expect(status).toBe(503);
    expect(ms).toBeGreaterThanOrEqual(9_000);
    expect(ms).toBeLessThan(9_200);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked.map(([path]) => path)).toEqual(["/v1/customers", "/v1/setup_intents", "/v1/setup_intents"]);
    expect(asked.every(([, at]) => at < 9_000)).toBe(true);
  });
});
