import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CHECK_AFTER_MS, nextPendingCheck } from "../../../functions/subscription-api/sign-ups/sign-up";
import { rows, times } from "../../support/visitors/visitor";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, runScheduled, startSubscriptionApi } from "../../support/workers/workers";
import { type FastStripe, signUpId, startFastStripe } from "./fast-stripe";
import { insertSignUps } from "./full-database";
import { type RecordedStatement, recordedDatabase } from "./recorded-database";

const HOUR = 60 * 60;
/** Statements of D1 for one invocation, and subrequests by Cloudflare's older plans. */
const CLOUDFLARE_ALLOWS = 1_000;
const CONNECTIONS = 6;

describe("the cron handler, with many sign-ups due", () => {
  let api: RunningWorker;
  let stripe: FastStripe;
  let recorded: RecordedStatement[];
  beforeAll(async () => {
    stripe = await startFastStripe();
    const database = recordedDatabase();
    recorded = database.recorded;
    api = await startSubscriptionApi({ simulatorUrl: stripe.url, wrapper: database.wrapper, ...FAST_API });
  });
  beforeEach(() => {
    stripe.forgetCalls();
    stripe.delay(() => 0);
    recorded.length = 0;
  });
  afterEach(async () => {
    await rows(api, "DELETE FROM sign_ups");
    await rows(api, "DELETE FROM trial_claims");
  });
  afterAll(async () => {
    await api.dispose();
    stripe.dispose();
  });

  const due = async () =>
    Number((await rows(api, "SELECT count(*) AS n FROM sign_ups WHERE check_at <= ?", new Date().toISOString()))[0]?.n);
  const statusOf = async (n: number) => (await rows(api, "SELECT status FROM sign_ups WHERE id = ?", signUpId(n)))[0];
  const indexOf = (line: string) => stripe.calls.findIndex((call) => call.startsWith(line));

  test("starts trials first, also of a card that no webhook told of, with 600 abandoned ones due before them [H7]", async () => {
    const [unstarted, unheard] = [1, 2];
    stripe.cardsSetUp.add(unstarted).add(unheard);
    await insertSignUps(
      api,
      { count: 600, from: 1000, status: "pending", createdIn: -30 * HOUR, checkIn: -2 * HOUR },
      { count: 300, from: 2000, status: "superseded", createdIn: -30 * HOUR, checkIn: -2 * HOUR },
      { count: 1, from: unstarted, status: "active", createdIn: -HOUR, checkIn: -1 },
      { count: 1, from: unheard, status: "pending", createdIn: -HOUR, checkIn: -1 },
    );
    await runScheduled(api);

    expect(await statusOf(unstarted)).toEqual({ status: "trialing" });
    expect(await statusOf(unheard)).toEqual({ status: "trialing" });
    const started = stripe.calls.filter((call) => call.startsWith("POST /v1/subscriptions"));
    expect(started).toHaveLength(2);
    expect(stripe.calls.lastIndexOf("POST /v1/subscriptions")).toBeLessThan(indexOf("DELETE /v1/customers"));
    expect(indexOf("POST /v1/emails")).toBeLessThan(indexOf("DELETE /v1/customers"));
  });

  test("stays below Cloudflare's limits, and leaves the rest to the next run [H7]", async () => {
    await insertSignUps(api, { count: 600, from: 1000, status: "pending", createdIn: -30 * HOUR, checkIn: -HOUR });
    for (let run = 1; (await due()) > 0; run += 1) {
      expect(run).toBeLessThanOrEqual(4);
      stripe.forgetCalls();
      recorded.length = 0;
      await runScheduled(api);
      expect(stripe.calls.length + recorded.length).toBeLessThan(CLOUDFLARE_ALLOWS);
      expect(stripe.mostAtOnce()).toBeLessThanOrEqual(CONNECTIONS);
    }
    expect(await rows(api, "SELECT 1 FROM sign_ups")).toEqual([]);
  });

  test("keeps up with a day of 100,000 abandoned sign-ups: one run does what is due in a minute [H7]", async () => {
    const perMinute = Math.ceil(100_000 / (24 * 60));
    const ages = agesWhenChecked();
    expect(ages.at(-1)).toBe(24 * HOUR);
    await insertSignUps(
      api,
      ...ages.map((age, index) => ({
        count: perMinute,
        from: 1000 * (index + 1),
        status: "pending",
        createdIn: -age,
        checkIn: -1,
      })),
    );
    // As long as Stripe's own answers take.
    stripe.delay(() => 100);
    const started = performance.now();
    await runScheduled(api);
    const seconds = (performance.now() - started) / 1000;

    expect(await due()).toBe(0);
    expect(await rows(api, "SELECT 1 FROM sign_ups")).toHaveLength(perMinute * (ages.length - 1));
    expect(stripe.calls.length + recorded.length).toBeLessThan(CLOUDFLARE_ALLOWS);
    expect(seconds).toBeLessThan(50);
  });

  test("two runs at once ask and delete each sign-up once [H7]", async () => {
    await insertSignUps(api, { count: 200, from: 1000, status: "pending", createdIn: -30 * HOUR, checkIn: -HOUR });
    stripe.delay(() => 5);
    await times(2, () => runScheduled(api));
    const deleted = stripe.calls.filter((call) => call.startsWith("DELETE /v1/customers"));
    expect(deleted).toHaveLength(200);
    expect(new Set(deleted).size).toBe(200);
    expect(await rows(api, "SELECT 1 FROM sign_ups")).toEqual([]);
  });
});

/** In seconds, each age at which a sign-up without a card is looked at. */
function agesWhenChecked(): number[] {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const created = Date.now();
    const signUp = { created_at: new Date(created).toISOString() };
    const ages = [CHECK_AFTER_MS / 1000];
    for (let age = ages[0] ?? 0; age < 24 * HOUR; ages.push(age)) {
      vi.setSystemTime(created + age * 1000);
      age = (nextPendingCheck(signUp).getTime() - created) / 1000;
    }
    return ages;
  } finally {
    vi.useRealTimers();
  }
}
