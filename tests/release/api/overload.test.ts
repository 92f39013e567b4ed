import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { post, rows, times, validRequest } from "../../support/visitors/visitor";
import { type DeployedApi, OPERATOR_TOKEN, startDeployedApi } from "../../support/workers/deployed-api";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, startBackend, startSubscriptionApi } from "../../support/workers/workers";

/* Too much at once: passwords to hash, sign-ups of one sender, wrong tokens of an operator. */

/** Fifty hashes on a busy machine. */
const CROWD_WITHIN_MS = 180_000;

const json = { "content-type": "application/json" };

describe("the API with its own password hash", () => {
  let api: RunningWorker;
  beforeAll(async () => {
    const backend = await startBackend();
    ({ api } = backend);
    return backend.dispose;
  });

  /** How a sign-up is answered, and after how long. */
  async function signUpFrom(sender: Record<string, string>, email: string, change: object = {}) {
    const started = performance.now();
    const response = await fetch(`${api.url}/subscription`, {
      method: "POST",
      headers: { ...json, ...sender, connection: "close" },
      body: JSON.stringify({ ...validRequest, email, ...change }),
    });
    await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      ms: performance.now() - started,
    };
  }

  test(
    "goes on when a crowd has gone away without waiting for its answers [H1]",
    async () => {
      const gone = new AbortController();
      const crowd = times(15, (index) =>
        fetch(`${api.url}/subscription`, {
          method: "POST",
          headers: { ...json, connection: "close" },
          body: JSON.stringify({ ...validRequest, email: `gone-${index}@example.com` }),
          signal: gone.signal,
        }).catch(() => undefined),
      );
      await expect.poll(() => rows(api, "SELECT 1 FROM sign_ups WHERE email LIKE 'gone-%'")).not.toEqual([]);
      gone.abort();
      await crowd;
      expect(await signUpFrom(someone(), "stayed@example.com")).toMatchObject({ status: 200 });
      await expect
        .poll(
          () => rows(api, "SELECT 1 FROM sign_ups WHERE email LIKE 'gone-%' AND stripe_setup_intent_id LIKE 'seti_%'"),
          { timeout: CROWD_WITHIN_MS },
        )
        .toHaveLength(15);
    },
    CROWD_WITHIN_MS,
  );
});

describe("the limit of sign-ups for each sender", () => {
  const limited = { simple: { limit: 3, period: 60 as const } };
  const limits = { ratelimits: { SIGNUP_RATE_LIMIT: limited, OPERATOR_RATE_LIMIT: limited } };
  beforeAll(enoughOfTheMinute, 30_000);

  test("is kept by CF-Connecting-IP, for IPv6 by its /64, and not by what the public says of itself [H1]", async () => {
    const api = await startSubscriptionApi({ ...FAST_API, miniflare: limits });
    let forged = 0;
    const send = async (ip: string) => {
      forged += 1;
      const headers = {
        ...json,
        "CF-Connecting-IP": ip,
        "Subscription-Sender": `203.0.113.${forged}`,
        "X-Forwarded-For": `203.0.113.${forged}`,
      };
      return (await post(`${api.url}/subscription`, "{}", headers)).status;
    };
    for (const ip of ["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"]) expect(await send(ip)).toBe(422);
    for (const ip of ["192.0.2.1", "::ffff:c000:201"]) expect(await send(ip)).toBe(429);
    for (const host of [":1", ":2", "ffff:ffff:ffff:ffff"]) {
      expect(await send(`2001:db8:1:2:${host}`)).toBe(422);
    }
    expect(await send("2001:db8:1:2::9")).toBe(429);
    expect(await send("2001:db8:1:3::9")).toBe(422);
    await api.dispose();
  });

  test("answers 429 with Retry-After and leaves the body unread [H1] [H2]", async () => {
    const api = await startSubscriptionApi({ ...FAST_API, miniflare: limits });
    const send = (body: string) =>
      fetch(`${api.url}/subscription`, { method: "POST", headers: { ...json, connection: "close" }, body });
    for (const _ of [1, 2, 3]) expect((await send("{}")).status).toBe(422);
    const answer = await send("x".repeat(20_000));
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    await api.dispose();
  });
});

describe("the operator's token", () => {
  let deployed: DeployedApi;
  beforeAll(async () => {
    await enoughOfTheMinute();
    deployed = await startDeployedApi();
  });
  afterAll(() => deployed.dispose());

  const ask = async (token: string, ip: string) => {
    const headers = { ...json, Authorization: `Bearer ${token}`, "CF-Connecting-IP": ip, "Subscription-Sender": token };
    return deployed.ask("/operator/export", { method: "POST", headers, body: '{"email":"a@example.com"}' });
  };

  test("given wrong ten times locks its sender out, the right one too, and nobody else [H1]", async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      statuses.push((await ask(`${OPERATOR_TOKEN}${index}`, `2001:db8::${index}`)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    const locked = await ask(OPERATOR_TOKEN, "2001:db8::1:1");
    expect(locked.status).toBe(429);
    expect(locked.headers.get("retry-after")).toBe("60");
    expect((await ask(OPERATOR_TOKEN, "192.0.2.7")).status).toBe(200);
    expect(deployed.api.logs).toContainEqual(expect.objectContaining({ event: "operator_locked_out" }));
  });
});
