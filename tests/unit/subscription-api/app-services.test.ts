import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { apiOverMemory, type Upstream } from "../../support/api-in-process/api-over-memory";
import type { Io } from "../../support/api-in-process/database";
import { eventOf, sign } from "../../support/stripe/stripe-events";
import { validRequest } from "../../support/visitors/visitor";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const LOST = "D1_ERROR: Network connection lost.";

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A Stripe that gives every sign-up a customer and a setup intent, and a mail provider that takes every mail. */
const stripe: Upstream = async ({ pathname }, request) => {
  const params = new URLSearchParams(await request.text());
  if (request.method === "GET") return Response.json({ data: [] });
  if (pathname === "/v1/customers") return Response.json({ id: "cus_1" });
  const metadata = { sign_up_id: params.get("metadata[sign_up_id]"), used_cards: "0" };
  return Response.json({
    id: "seti_1",
    client_secret: "seti_1_secret",
    customer: "cus_1",
    metadata,
    status: "requires_payment_method",
  });
};
const unreachable: Upstream = () => Promise.reject(new TypeError("fetch failed"));

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

describe("a write that D1 loses in passing", () => {
  /** The answer to an event whose first write is lost so long after the request began. */
  async function lostAfter(milliseconds: number) {
    vi.setSystemTime(NOW);
    let lost = false;
    const api = apiOverMemory({
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

  test("is sent again within the first five seconds of a request, and not later [G7]", async () => {
    expect(await lostAfter(0)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND - 1)).toEqual({ status: 200, events: 1 });
    expect(await lostAfter(5 * SECOND)).toEqual({ status: 503, events: 0 });
  });

  test.each([
    ["again as long as the run of the cron handler has time", 4 * MINUTE - 1, NOW + 4 * MINUTE - 1],
    ["once when the run has no time left", 4 * MINUTE, null],
  ])("is sent %s [W3]", async (_, milliseconds, endsAt) => {
    let lost = false;
    const api = apiOverMemory({
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

describe("after an answer", () => {
  /** An API in whose outbox a mail waits. */
  async function withMail(io?: Io) {
    const api = apiOverMemory({ upstream: stripe, ...(io && { io }) });
    const { id } = await api.signUp();
    const sql = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?3, ?4, ?4)";
    api.rows(sql, "a key", id, "card-used", new Date(NOW).toISOString());
    return api;
  }

  test("messages are sent, under the id of the request", async () => {
    const { ask, settled, calls, logged, rows } = await withMail();
    await ask("/webhooks/stripe", eventOfNoSignUp({ "x-request-id": "of-stripe" }));
    await settled();
    expect(calls).toEqual(["POST http://localhost:8789/emails"]);
    expect(rows("SELECT state FROM outbox")).toEqual([{ state: "sent" }]);
    expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent", request_id: "of-stripe" }));
  });

  test("a failure to send them is in the log alone", async () => {
    const { ask, settled, logged } = await withMail(async (label, effect) => {
      if (label.includes("UPDATE outbox")) throw new RangeError("nothing of this is logged");
      return effect();
    });
    expect((await ask("/webhooks/stripe", eventOfNoSignUp())).status).toBe(200);
    await settled();
    expect(logged).toContainEqual(
      expect.objectContaining({ level: "error", event: "dispatch_failed", error: "RangeError" }),
    );
    expect(JSON.stringify(logged)).not.toContain("nothing of this");
  });
});

describe("the steps of sign-ups", () => {
  test("are counted in the dataset", async () => {
    const points: unknown[] = [];
    const FUNNEL = { writeDataPoint: (point: unknown) => points.push(point) };
    const { ask, logged } = apiOverMemory({ upstream: stripe, settings: { FUNNEL } });
    const answer = await ask("/subscription", signUp);
    expect(await answer.json()).toMatchObject({ client_secret: "seti_1_secret" });
    expect(points).toEqual([
      { indexes: ["accepted"], blobs: ["accepted", validRequest.package_id, "none"], doubles: [1] },
    ]);
    expect(logged).not.toContainEqual(expect.objectContaining({ event: "funnel" }));
  });

  test("are in the log where there is none", async () => {
    const { ask, logged } = apiOverMemory({ upstream: stripe });
    await ask("/subscription", signUp);
    expect(logged).toContainEqual(
      expect.objectContaining({ event: "funnel", step: "accepted", package: validRequest.package_id, field: "none" }),
    );
  });
});

describe("Stripe that never answers", () => {
  const never: Upstream = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  /** How many seconds pass until the answer comes. */
  async function secondsUntil(path: string, init: RequestInit): Promise<number> {
    vi.useFakeTimers({ now: NOW });
    const { ask } = apiOverMemory({ upstream: never });
    let answered = false;
    const asked = ask(path, init).finally(() => {
      answered = true;
    });
    while (!answered && Date.now() < NOW + MINUTE) await vi.advanceTimersByTimeAsync(SECOND / 4);
    const seconds = (Date.now() - NOW) / SECOND;
    expect((await asked).status).toBe(503);
    return seconds;
  }

  test("is waited for by a visitor for less than the site's ten seconds, by an operator for two tries of 20", async () => {
    const visitor = await secondsUntil("/subscription", signUp);
    expect(visitor).toBeGreaterThan(8);
    expect(visitor).toBeLessThan(10);
    const headers = { authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}` };
    expect(await secondsUntil("/operator/catalogue", { method: "POST", headers })).toBeGreaterThan(40);
  });
});

describe("a run of the cron handler", () => {
  test("has one id in all lines of its log, and the next run another [W3]", async () => {
    const api = apiOverMemory({ upstream: unreachable });
    await api.signUp();
    for (const run of [1, 2]) {
      api.rows("UPDATE sign_ups SET check_at = ?, stripe_setup_intent_id = 'seti_1'", new Date(NOW).toISOString());
      await api.runScheduled();
      const ids = api.logged.map(({ request_id }) => String(request_id));
      expect(new Set(ids).size).toBe(run);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    }
  });

  test("stays within 1,000 statements, and within 1,000 subrequests of both kinds, and leaves the rest [W3]", async () => {
    let statements = 0;
    const api = apiOverMemory({
      upstream: stripe,
      io: async (_, effect) => {
        statements += 1;
        return effect();
      },
    });
    const { id } = await api.signUp();
    const sql = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?3, ?4, ?4)";
    for (let n = 0; n < 1_000; n += 1) api.rows(sql, `${n}`, id, "card-used", new Date(NOW).toISOString());
    statements = 0;
    await api.runScheduled();
    expect(statements + api.calls.length).toBeGreaterThan(700);
    expect(statements + api.calls.length).toBeLessThan(1_000);
    expect(api.rows("SELECT count(*) AS n FROM outbox WHERE state = 'due'")[0]?.n).toBeGreaterThan(0);
  });
});
