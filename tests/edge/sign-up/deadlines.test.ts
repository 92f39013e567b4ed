import { describe, expect, test } from "vitest";
import { sendRaw } from "../../support/visitors/raw-request";
import { fields, nonceIn, SECRET, siteVisitor } from "../../support/visitors/site-visitor";
import { rows } from "../../support/visitors/visitor";
import {
  answersWith,
  type Behaviour,
  neverAnswers,
  passesOnTo,
  redirects,
  resets,
  sendsAnEndlessBody,
  sendsAShortBody,
  stallsInTheBody,
  startUpstream,
} from "../../support/workers/upstream";
import { startBackend, startSite } from "../../support/workers/workers";

/* Somebody is slow: the visitor, or the API. Most of this is waiting, so the tests run at the same time. */

/** A site whose API is given so much time, and the API. */
async function startSlowPair(deadlineMs: number, vars = {}) {
  const upstream = await startUpstream();
  const site = await startSite({
    vars: { SUBSCRIPTION_API_URL: upstream.url, SUBSCRIPTION_API_TIMEOUT_MS: String(deadlineMs), ...vars },
  });
  return {
    upstream,
    visitor: siteVisitor(site),
    async dispose() {
      await site.dispose();
      upstream.dispose();
    },
  };
}

describe.concurrent("the site", () => {
  test("gives a form up whose rest does not come within ten seconds, and goes on meanwhile [B3]", async () => {
    const site = await startSite();
    const visitor = siteVisitor(site);
    const stalled = sendRaw(site.url, {
      method: "POST",
      path: "/subscription",
      headers: [
        ["Origin", site.url],
        ["Content-Type", "application/x-www-form-urlencoded"],
        ["Content-Length", "1000"],
      ],
      body: new URLSearchParams(fields).toString().slice(0, 100),
      unfinished: true,
    });
    expect((await visitor.submit({ email: "nobody" })).status).toBe(422);
    const { status, body, durationMs } = await stalled;
    expect(status).toBe(408);
    expect(body).toContain("The form did not arrive in time.");
    expect(durationMs).toBeGreaterThan(9_000);
    expect(durationMs).toBeLessThan(13_000);
    expect((await visitor.submit({ email: "nobody" })).status).toBe(422);
    await site.dispose();
  });

  test.each([
    ["never answers", neverAnswers],
    ["sends headers, then stalls", stallsInTheBody],
  ] satisfies [string, Behaviour][])(
    "gives an API up that %s: 'Connection Failed', 504, the form kept, and the next one works [C1] [S7] [M4]",
    async (_, slow) => {
      const DEADLINE_MS = 700;
      const { upstream, visitor, dispose } = await startSlowPair(DEADLINE_MS);
      upstream.answers(slow);
      const started = performance.now();
      const { status, text, body, cookie } = await visitor.submit();
      const ms = performance.now() - started;
      expect(ms).toBeGreaterThan(DEADLINE_MS - 50);
      expect(ms).toBeLessThan(DEADLINE_MS + 5000);
      expect([status, cookie]).toEqual([504, ""]);
      expect(text).toContain("Connection Failed");
      expect(text).toContain("Unable to connect to the API server. Please check your connection and try again.");
      expect(body).toMatch(/<title>Error: /);
      const { password: _password, confirmPassword: _confirmed, ...kept } = fields;
      for (const value of Object.values(kept)) expect(text).toContain(`value="${value}"`);
      expect(body).not.toContain("S3ntinel");
      expect(upstream.calls).toHaveLength(1);

      upstream.answersJson(200, { client_secret: SECRET });
      expect((await visitor.submit()).status).toBe(303);
      await dispose();
    },
  );

  test("makes one subscription of a form that the API took too late and the visitor sent again: one key, one client_secret [C9]", async () => {
    const backend = await startBackend();
    const { upstream, visitor, dispose } = await startSlowPair(3000, {
      STRIPE_JS_URL: `${backend.stripe.url}/x.js`,
      STRIPE_API_URL: backend.stripe.url,
    });
    const form_nonce = await visitor.nonce();

    upstream.answers(passesOnTo(backend.api.url, neverAnswers));
    const first = await visitor.submit({ form_nonce });
    expect(first.status).toBe(504);
    expect(nonceIn(first)).toBe(form_nonce);
    const [row, ...others] = await rows(backend.api, "SELECT * FROM sign_ups");
    expect(row).toMatchObject({ email: "ada@example.com" });
    expect(others).toEqual([]);
    const [call] = upstream.calls;

    upstream.answers(passesOnTo(backend.api.url));
    const answers = [await visitor.submit({ form_nonce }), await visitor.submit({ form_nonce })];
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    for (const { headers } of upstream.calls) {
      expect(headers["idempotency-key"]).toBe(call?.headers["idempotency-key"]);
    }
    const secrets = await Promise.all(
      answers.map(async ({ cookie }) => {
        const { body } = await visitor.get("/subscription", { Cookie: cookie });
        return /seti_\w+_secret_\w+/.exec(body)?.[0];
      }),
    );
    expect(secrets[0]).toMatch(/^seti_/);
    expect(secrets[1]).toBe(secrets[0]);
    expect(await rows(backend.api, "SELECT * FROM sign_ups")).toHaveLength(1);
    await Promise.all([dispose(), backend.dispose()]);
  });

  test("calls an API that is declared idempotent at most 3 times, with one key, within the one deadline [C9]", async () => {
    const { upstream, visitor, dispose } = await startSlowPair(3000, { SUBSCRIPTION_API_IDEMPOTENT: "true" });
    async function callsFor(behaviour: Behaviour, status: number) {
      upstream.answers(behaviour);
      const started = performance.now();
      expect((await visitor.submit()).status).toBe(status);
      expect(performance.now() - started).toBeLessThan(4000);
      expect(new Set(upstream.calls.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size).toBe(1);
      return upstream.calls.length;
    }
    expect(await callsFor(resets, 502)).toBe(3);
    expect(await callsFor(sendsAShortBody, 502)).toBe(3);
    expect(await callsFor(answersWith(503, ""), 503)).toBe(3);
    // What is an answer is not asked again; after the deadline there is no time left.
    expect(await callsFor(answersWith(400, ""), 400)).toBe(1);
    expect(await callsFor(answersWith(500, ""), 502)).toBe(1);
    expect(await callsFor(redirects(307, "/"), 502)).toBe(1);
    expect(await callsFor(answersWith(200, "{}"), 502)).toBe(1);
    expect(await callsFor(sendsAnEndlessBody(), 502)).toBe(1);
    expect(await callsFor(neverAnswers, 504)).toBe(1);
    // Each call takes 1,300 ms: there is no time for a third one.
    const slow: Behaviour = (response) => void setTimeout(() => response.writeHead(503).end(), 1300);
    expect(await callsFor(slow, 503)).toBe(2);

    let calls = 0;
    const recovers: Behaviour = (response, call) => {
      calls += 1;
      const behaviour = calls < 3 ? resets : answersWith(200, JSON.stringify({ client_secret: SECRET }));
      return behaviour(response, call);
    };
    expect(await callsFor(recovers, 303)).toBe(3);
    await dispose();
  });
});
