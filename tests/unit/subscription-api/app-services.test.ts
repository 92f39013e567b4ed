import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { apiInProcess, type Upstream } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import type { Io } from "../../support/api-in-process/database";
import { DEPLOYED } from "../../support/api-in-process/settings";
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

test.each([
  ["INSERT INTO sign_up_counts", 1],
  ["UPDATE outbox SET next_attempt_at", 3],
  ["UPDATE sign_ups SET check_at", 3],
])("%s is not idempotent and never retried: %i attempts by as many batches [W4]", async (sql, times) => {
  let sent = 0;
  const { ask, runScheduled } = apiInProcess({
    io: async (label, effect) => {
      const result = effect();
      if (!label.trim().replace("batch: ", "").startsWith(sql)) return result;
      sent += 1;
      throw new Error(LOST);
    },
  });
  if (sql.startsWith("INSERT")) expect((await ask("/subscription", signUp)).status).toBe(503);
  else await runScheduled().catch(() => undefined);
  expect(sent).toBe(times);
});

describe("password hashing", () => {
  test("queues 30 of 94 concurrent sign-ups from one client, refuses the rest before any work, and serves other clients [H1]", async () => {
    vi.useRealTimers();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const passwords = {
      ...cheapPasswords,
      hash: (password: string) => gate.then(() => cheapPasswords.hash(password)),
    };
    const { ask, rows } = apiInProcess({ passwords, settings: DEPLOYED });
    const post = (sender: string, email: string) => {
      const headers = { ...signUp.headers, "cf-connecting-ip": sender };
      const body = JSON.stringify({ ...validRequest, email });
      return ask("https://api.example/subscription", { ...signUp, headers, body }, "site");
    };
    const crowd = Array.from({ length: 94 }, (_, index) => post("192.0.2.1", `crowd-${index}@example.com`));
    const visitor = post("192.0.2.2", "visitor@example.com");
    expect((await post("192.0.2.1", "nobody")).status).toBe(422);
    // Late, since no cron handler has run.
    expect((await ask("https://api.example/health")).status).toBe(503);
    const refused = await Promise.all(crowd.slice(30));
    expect(new Set(refused.map(({ status, headers }) => `${status} ${headers.get("retry-after")}`))).toEqual(
      new Set(["503 5"]),
    );
    expect(rows("SELECT 1 FROM sign_ups")).toEqual([]);
    open();
    expect((await visitor).status).toBe(200);
    expect(new Set((await Promise.all(crowd.slice(0, 30))).map(({ status }) => status))).toEqual(new Set([200]));
  }, 30_000);

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

test("the status URL of a sign-up is on the requested origin [H1]", async () => {
  const { ask } = apiInProcess();
  const answer = z
    .object({ status_url: z.url() })
    .parse(await (await ask("http://127.0.0.1:9/subscription", signUp)).json());
  expect(answer.status_url).toMatch(/^http:\/\/127\.0\.0\.1:9\/subscription\/status\/[^/]+$/);
  const status = await ask(answer.status_url);
  expect(await status.json()).toEqual({ status: "pending" });
  expect(status.headers.get("cache-control")).toBe("no-store");
});

describe("after the response", () => {
  /** An API in whose outbox an email waits. */
  async function withMail(io?: Io) {
    const api = apiInProcess({ ...(io && { io }) });
    const { id } = await api.signUp();
    const sql = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?3, ?4, ?4)";
    api.rows(sql, "a key", id, "card-used", new Date(NOW).toISOString());
    return api;
  }

  test("messages are sent, logged with the request's ID", async () => {
    const { ask, settled, calls, logged, rows } = await withMail();
    await ask("/webhooks/stripe", eventOfNoSignUp({ "x-request-id": "of-stripe" }));
    await settled();
    expect(calls).toEqual(["POST http://localhost:8789/emails"]);
    expect(rows("SELECT state FROM outbox")).toEqual([{ state: "sent" }]);
    expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent", request_id: "of-stripe" }));
  });

  test("a failed send appears in the log only", async () => {
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

describe("the steps of a sign-up", () => {
  test("are counted in the Analytics Engine dataset", async () => {
    const points: unknown[] = [];
    const FUNNEL = { writeDataPoint: (point: unknown) => points.push(point) };
    const { ask, logged } = apiInProcess({ settings: { FUNNEL } });
    const answer = await ask("/subscription", signUp);
    expect(await answer.json()).toMatchObject({ client_secret: expect.stringMatching(/_secret_/) });
    expect(points).toEqual([
      { indexes: ["accepted"], blobs: ["accepted", validRequest.package_id, "none"], doubles: [1] },
    ]);
    expect(logged).not.toContainEqual(expect.objectContaining({ event: "funnel" }));
  });

  test("are logged without a dataset", async () => {
    const { ask, logged } = apiInProcess();
    await ask("/subscription", signUp);
    expect(logged).toContainEqual(
      expect.objectContaining({ event: "funnel", step: "accepted", package: validRequest.package_id, field: "none" }),
    );
  });
});

describe("when Stripe never answers", () => {
  const never: Upstream = () => new Promise(() => {});

  /** How many seconds pass until the answer comes. */
  async function secondsUntil(path: string, init: RequestInit): Promise<number> {
    vi.useFakeTimers({ now: NOW });
    const { ask } = apiInProcess({ upstream: never });
    let answered = false;
    const asked = ask(path, init).finally(() => {
      answered = true;
    });
    while (!answered && Date.now() < NOW + MINUTE) await vi.advanceTimersByTimeAsync(SECOND / 4);
    const seconds = (Date.now() - NOW) / SECOND;
    expect((await asked).status).toBe(503);
    return seconds;
  }

  test("a visitor waits less than the site's ten seconds, an operator for two attempts of 20 s [G16]", async () => {
    const visitor = await secondsUntil("/subscription", signUp);
    expect(visitor).toBeGreaterThan(8);
    expect(visitor).toBeLessThan(10);
    const headers = {
      authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`,
      "content-type": "application/json",
    };
    expect(await secondsUntil("/operator/catalog", { method: "POST", headers })).toBeGreaterThan(40);
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
