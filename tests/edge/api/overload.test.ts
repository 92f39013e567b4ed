import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { enterCard, post, rows, signUp, times, validRequest } from "../../support/visitors/visitor";
import { type DeployedApi, OPERATOR_TOKEN, startDeployedApi } from "../../support/workers/deployed-api";
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

  it(
    "takes 50 of 94 sign-ups at once from one sender, refuses the rest before any work, and keeps others served [H1]",
    async () => {
      const [attacker, visitor] = [someone(), someone()];
      const crowd = times(94, (index) => signUpFrom(attacker, `crowd-${index}@example.com`));
      await expect.poll(() => api.logs.filter(({ event }) => event === "sign_ups_busy").length).toBeGreaterThan(0);

      const wrongForm = await signUpFrom(attacker, "nobody");
      const visited = await signUpFrom(visitor, "visitor@example.com");
      const started = performance.now();
      const health = await fetch(`${api.url}/health`, { headers: { connection: "close" } });
      const healthMs = performance.now() - started;
      let crowdIsDone = false;
      void crowd.then(() => (crowdIsDone = true));
      await Promise.resolve();
      expect(crowdIsDone, "the crowd is still waiting").toBe(false);

      expect(wrongForm.status).toBe(422);
      expect(visited.status).toBe(200);
      expect(health.status).toBe(200);
      const answers = await crowd;
      const taken = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 503);
      expect([taken.length, refused.length]).toEqual([50, 44]);
      expect(refused.every(({ retryAfter }) => retryAfter === "5")).toBe(true);
      expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email LIKE 'crowd-%'")).toHaveLength(50);
      // The crowd's last one waits for 49 hashes; others wait for about one.
      const longest = Math.max(...taken.map(({ ms }) => ms));
      expect(visited.ms).toBeLessThan(longest / 2);
      expect(healthMs).toBeLessThan(longest / 2);
    },
    CROWD_WITHIN_MS,
  );

  it(
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

describe("the time that an answer takes", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    const backend = await startBackend(await fastApi());
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  const hashes = () => api.logs.filter(({ event }) => event === "password_hashed").length;

  it("is the same for a known e-mail and a new one: one hash, also for a key that was used [H17]", async () => {
    const { clientSecret } = await signUp(api, { email: "known@example.com" }, "key");
    await enterCard(stripe.url, clientSecret);
    await expect
      .poll(() => rows(api, "SELECT status FROM sign_ups WHERE email = 'known@example.com'"))
      .toEqual([{ status: "trialing" }]);

    const cases: [number, object, string | undefined][] = [
      [200, { email: "new@example.com" }, undefined],
      [409, { email: "known@example.com" }, undefined],
      [409, { email: " KNOWN@Example.com", full_name: "Another" }, undefined],
      [200, { email: "known@example.com" }, "key"],
      [422, { email: "known@example.com", password: "An0ther-one" }, "key"],
      [422, { email: "known@example.com", city: "Boston" }, "key"],
      [422, { email: "new@example.com" }, "key"],
    ];
    for (const [status, fields, key] of cases) {
      const before = hashes();
      expect((await signUp(api, fields, key)).status).toBe(status);
      await expect.poll(hashes).toBe(before + 1);
    }
  });
});

describe("the limit of sign-ups for each sender", () => {
  const limited = { simple: { limit: 3, period: 60 as const } };
  const limits = { ratelimits: { SIGNUP_RATE_LIMIT: limited, OPERATOR_RATE_LIMIT: limited } };
  beforeAll(enoughOfTheMinute, 30_000);

  it("is kept by CF-Connecting-IP, for IPv6 by its /64, and not by what the public says of itself [H1]", async () => {
    const api = await startSubscriptionApi({ ...(await fastApi()), miniflare: limits });
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

  it("answers 429 with Retry-After and leaves the body unread [H1] [H2]", async () => {
    const api = await startSubscriptionApi({ ...(await fastApi()), miniflare: limits });
    const send = (body: string) =>
      fetch(`${api.url}/subscription`, { method: "POST", headers: { ...json, connection: "close" }, body });
    for (const _ of [1, 2, 3]) expect((await send("{}")).status).toBe(422);
    const answer = await send("x".repeat(20_000));
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    await api.dispose();
  });

  it("lets everybody through when the limiter fails, and says so in the log [H1] [F3]", async () => {
    const api = await startSubscriptionApi({
      ...(await fastApi()),
      wrapper: {
        script: `
          import worker from "./worker.js";
          const limiter = { async limit() { throw new Error("words-of-the-error"); } };
          export default {
            fetch: (request, env, context) =>
              worker.fetch(request, { ...env, SIGNUP_RATE_LIMIT: limiter, OPERATOR_RATE_LIMIT: limiter }, context),
          };`,
      },
    });
    expect((await post(`${api.url}/subscription`, "{}", json)).status).toBe(422);
    expect((await post(`${api.url}/operator/export`, "{}", json)).status).toBe(401);
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining({ event: "rate_limiter_failed" }));
    expect(api.output.join()).not.toContain("words-of-the-error");
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

  it("given wrong ten times locks its sender out, the right one too, and nobody else [H1]", async () => {
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

  it("given right fifty times is not refused", async () => {
    for (let index = 0; index < 50; index += 1) expect((await ask(OPERATOR_TOKEN, "192.0.2.8")).status).toBe(200);
  });
});
