import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { post, rows, signUp, validRequest } from "../../support/visitors/visitor";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, startSubscriptionApi } from "../../support/workers/workers";
import { type FastStripe, signUpId, startFastStripe } from "./fast-stripe";
import { insertSignUps } from "./full-database";

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** How long the slow Stripe takes for each call. */
const SLOW_MS = 1_000;

describe("a sign-up beside pending ones of the same email address, while Stripe is slow", () => {
  let api: RunningWorker;
  let stripe: FastStripe;
  beforeAll(async () => {
    stripe = await startFastStripe();
    api = await startSubscriptionApi({ simulatorUrl: stripe.url, ...FAST_API });
  });
  afterEach(async () => {
    stripe.forgetCalls();
    stripe.delay(() => 0);
    await rows(api, "DELETE FROM sign_ups");
    await rows(api, "DELETE FROM trial_claims");
  });
  afterAll(async () => {
    await api.dispose();
    stripe.dispose();
  });

  const email = "beside@example.com";
  const pending = (count: number) =>
    insertSignUps(api, { count, from: 1, status: "pending", email, createdIn: "-600 + n", checkIn: DAY });

  async function timed<T>(work: Promise<T>) {
    const started = performance.now();
    return { answer: await work, ms: performance.now() - started };
  }

  test("asks about six of eight at once: three calls in a row [H8]", async () => {
    await pending(8);
    stripe.delay(() => SLOW_MS);
    const { answer, ms } = await timed(signUp(api, { email }));

    expect(answer.status).toBe(200);
    const asked = stripe.calls.slice(0, 6);
    expect(asked.map((call) => call.replace(/\?.*/, "")).sort()).toEqual(
      [3, 4, 5, 6, 7, 8].map((n) => `GET /v1/setup_intents/seti_${n}`),
    );
    expect(stripe.calls.slice(6)).toEqual(["POST /v1/customers", "POST /v1/setup_intents"]);
    expect(stripe.mostAtOnce()).toBe(6);
    expect(ms).toBeLessThan(5 * SLOW_MS);
  });

  test("waits two seconds for that, and then answers; what Stripe says later still counts [H8]", async () => {
    await pending(8);
    stripe.cardsSetUp.add(5);
    stripe.delay((call) => (call.startsWith("GET /v1/setup_intents/seti_5?") ? 3_000 : 0));
    const { answer, ms } = await timed(signUp(api, { email }));
    expect(answer.status).toBe(200);
    expect(ms).toBeGreaterThan(1_900);
    expect(ms).toBeLessThan(2_900);

    await expect
      .poll(() => rows(api, "SELECT status FROM sign_ups WHERE id = ?", signUpId(5)))
      .toEqual([{ status: "trialing" }]);
    expect((await signUp(api, { email })).status).toBe(409);
    stripe.cardsSetUp.clear();
  });

  test("gives up the oldest of over fifty, after the visitor has the answer [H8]", async () => {
    await pending(60);
    stripe.delay((call) => (call.includes("/cancel") ? SLOW_MS : 0));
    const { answer, ms } = await timed(signUp(api, { email }));
    expect(answer.status).toBe(200);
    expect(ms).toBeLessThan(SLOW_MS);

    const given = "SELECT id FROM sign_ups WHERE email = ? AND status = 'superseded' ORDER BY id";
    await expect.poll(() => rows(api, given, email)).toEqual([{ id: signUpId(10) }, { id: signUpId(11) }]);
    expect(stripe.calls.filter((call) => call.includes("/cancel"))).toHaveLength(2);
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = ? AND status = 'pending'", email)).toHaveLength(59);
  });

  test("waits a second for the sign-up that it replaces to be cancelled, answers, and gives that up even if Stripe never answers [H8]", async () => {
    const first = await signUp(api, { email }, "first");
    expect(first.status).toBe(200);
    stripe.forgetCalls();
    stripe.delay((call) => (call.includes("/cancel") ? Infinity : 0));
    const body = JSON.stringify({ ...validRequest, email, city: "Boston" });
    const headers = {
      "content-type": "application/json",
      "idempotency-key": "second",
      "replaces-idempotency-key": "first",
    };
    const { answer, ms } = await timed(post(`${api.url}/subscription`, body, headers));
    expect(answer.status).toBe(200);
    expect(ms).toBeLessThan(2_900);
    await expect
      .poll(() => rows(api, "SELECT status FROM sign_ups WHERE idempotency_key = 'first'"), { timeout: 30_000 })
      .toEqual([{ status: "superseded" }]);
  });
});
