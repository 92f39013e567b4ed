import { describe, expect, test, vi } from "vitest";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { eventOf, sign } from "../../support/stripe/stripe-events";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const LOST = "D1_ERROR: Network connection lost.";

stopClock(NOW);

/** An event of a subscription that no sign-up has: all that is written is that it was processed. */
function eventOfNoSignUp(headers: Record<string, string> = {}) {
  const body = eventOf("customer.subscription.updated", { object: "subscription", id: "sub_9", customer: "cus_9" });
  return { method: "POST", body, headers: { ...headers, "stripe-signature": sign(body) } };
}

describe("a write that D1 loses to a transient failure", () => {
  /** The answer to an event whose first write is lost so long after the request began. */
  async function lostAfter(milliseconds: number) {
    vi.setSystemTime(NOW);
    let lost = false;
    const api = apiInProcess({
      io: async (label, effect) => {
        if (lost || !label.includes("INSERT INTO stripe_events")) return effect();
        lost = true;
        vi.setSystemTime(NOW + milliseconds);
        throw new Error(LOST);
      },
    });
    const { status } = await api.ask("/webhooks/stripe", eventOfNoSignUp());
    return { status, events: api.rows("SELECT id FROM stripe_events").length };
  }

  test("is retried within the first five seconds of a request only", async () => {
    expect(await lostAfter(0)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND - 1)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND)).toEqual({ status: 503, events: 0 });
  });

  test.each([
    ["as long as the cron run has time", 4 * MINUTE - 1, NOW + 4 * MINUTE - 1],
    ["only once if the cron run has no time left", 4 * MINUTE, null],
  ])("is retried %s", async (_, milliseconds, endsAt) => {
    let lost = false;
    const api = apiInProcess({
      io: async (label, effect) => {
        if (lost || !label.includes("DELETE FROM stripe_events")) return effect();
        lost = true;
        vi.setSystemTime(NOW + milliseconds);
        throw new Error(LOST);
      },
    });
    await api.runScheduled().catch(() => undefined);
    expect(api.rows("SELECT ran_at FROM cron_runs")).toEqual([
      { ran_at: endsAt === null ? null : new Date(endsAt).toISOString() },
    ]);
  });
});

test.each([["UPDATE sign_ups SET check_at", 3]])(
  "%s is not idempotent and never retried: %i attempts by as many batches",
  async (sql, times) => {
    let sent = 0;
    const { runScheduled } = apiInProcess({
      io: async (label, effect) => {
        const result = effect();
        if (!label.trim().replace("batch: ", "").startsWith(sql)) return result;
        sent += 1;
        throw new Error(LOST);
      },
    });
    await runScheduled().catch(() => undefined);
    expect(sent).toBe(times);
  },
);
