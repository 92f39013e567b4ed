import { describe, expect, test, vi } from "vitest";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { cheapPasswords } from "../../support/cheap-passwords";
import { eventOf, sign } from "../../support/stripe/stripe-events";
import { validRequest } from "../../support/visitors/visitor";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const LOST = "D1_ERROR: Network connection lost.";

stopClock(NOW);

const signUp = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(validRequest),
};

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

  test("is retried within the first five seconds of a request only [G7]", async () => {
    expect(await lostAfter(0)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND - 1)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND)).toEqual({ status: 503, events: 0 });
  });

  test.each([
    ["as long as the cron run has time", 4 * MINUTE - 1, NOW + 4 * MINUTE - 1],
    ["only once if the cron run has no time left", 4 * MINUTE, null],
  ])("is retried %s [W3]", async (_, milliseconds, endsAt) => {
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
  "%s is not idempotent and never retried: %i attempts by as many batches [W4]",
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

describe("password hashing", () => {
  test("costs one hash for each form, whether or not its email or key is known [H17]", async () => {
    vi.useRealTimers();
    let hashed = 0;
    const counted = <T>(work: Promise<T>) => {
      hashed += 1;
      return work;
    };
    const { ask, rows } = apiInProcess({
      passwords: {
        hash: (password) => counted(cheapPasswords.hash(password)),
        verify: (password, stored) => counted(cheapPasswords.verify(password, stored)),
      },
    });
    const send = async (fields: object, key: string) => {
      const headers = { ...signUp.headers, "idempotency-key": key };
      return (await ask("/subscription", { ...signUp, headers, body: JSON.stringify({ ...validRequest, ...fields }) }))
        .status;
    };
    const known = "known@example.com";
    expect(await send({ email: known }, "key")).toBe(200);
    rows("UPDATE sign_ups SET status = 'trialing', trial_end = '2099-01-01T00:00:00.000Z'");
    for (const [status, fields, key] of [
      [200, { email: "new@example.com" }, "another"],
      [409, { email: known }, "a-third"],
      [200, { email: known }, "key"],
      [422, { email: known, password: "An0ther-one" }, "key"],
      [422, { email: known, city: "Boston" }, "key"],
      [422, { email: "new@example.com" }, "key"],
    ] as const) {
      const before = hashed;
      expect([await send(fields, key), hashed - before]).toEqual([status, 1]);
    }
  });
});

test("all log lines of a cron run have one ID, and each run has its own [W3]", async () => {
  const api = apiInProcess({ upstream: () => Promise.reject(new TypeError("fetch failed")) });
  await api.signUp();
  for (const run of [1, 2]) {
    api.rows("UPDATE sign_ups SET check_at = ?, stripe_setup_intent_id = 'seti_1'", new Date(NOW).toISOString());
    await api.runScheduled();
    const ids = api.logged.map(({ request_id }) => String(request_id));
    expect(new Set(ids).size).toBe(run);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
