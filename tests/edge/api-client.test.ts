import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startFaultInjector } from "../support/fault-injector";
import {
  answersNothing,
  answersWith,
  closesWithoutAnswer,
  type Fault,
  neverAnswers,
  redirects,
  resets,
  sendsAnEndlessBody,
  sendsAShortBody,
  stallsInTheBody,
} from "../support/faults";
import { type Answer, fields, logged, nonceIn, SECRET, type SiteVisitor, siteVisitor } from "../support/site-visitor";
import { startUpstream } from "../support/upstream";
import { rows } from "../support/visitor";
import { type RunningWorker, startBackend, startSite } from "../support/workers";

/* threats.md, section C: the call to the subscription API. */

const DEADLINE_MS = 700;

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startSite({
    vars: { SUBSCRIPTION_API_URL: upstream.url, SUBSCRIPTION_API_TIMEOUT_MS: String(DEADLINE_MS) },
  });
  visitor = siteVisitor(site);
});

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

/** The form is back, with a notice and everything typed but the passwords; and nobody was called a second time. */
function expectNotice(answer: Answer, status: number, title: string, message: string) {
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(title);
  expect(answer.text).toContain(message);
  expect(answer.body).toMatch(/<title>Error: /);
  const { password: _, confirmPassword: __, ...kept } = fields;
  for (const value of Object.values(kept)) expect(answer.text).toContain(`value="${value}"`);
  expect(answer.cookie).toBe("");
  expect(upstream.calls).toHaveLength(1);
}

const expectConnectionFailed = (answer: Answer, status: number) =>
  expectNotice(
    answer,
    status,
    "Connection Failed",
    "Unable to connect to the API server. Please check your connection and try again.",
  );

describe("C. what upstream does", () => {
  afterEach(async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    expect((await visitor.submit()).status, "the next request works").toBe(303);
  });

  test.each([
    ["never answers", neverAnswers],
    ["sends headers, then stalls", stallsInTheBody],
  ] satisfies [string, Fault][])(
    "C1: it %s: given up at the deadline, 'Connection Failed', 504, form kept",
    async (_, fault) => {
      upstream.answers(fault);
      const started = performance.now();
      expectConnectionFailed(await visitor.submit(), 504);
      expect(performance.now() - started).toBeGreaterThan(DEADLINE_MS - 50);
      expect(performance.now() - started).toBeLessThan(DEADLINE_MS + 1000);
    },
  );

  test.each([
    ["resets the connection", resets],
    ["closes the connection", closesWithoutAnswer],
    ["sends a short body", sendsAShortBody],
  ] satisfies [string, Fault][])("C2: it %s: 'Connection Failed', 502, form kept", async (_, fault) => {
    upstream.answers(fault);
    expectConnectionFailed(await visitor.submit(), 502);
  });

  test("C2: nobody listens at its address: 'Connection Failed', 502", async () => {
    const alone = await startSite({ vars: { SUBSCRIPTION_API_URL: "http://127.0.0.1:9" } });
    const answer = await siteVisitor(alone).submit();
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("Connection Failed");
    await alone.dispose();
  });

  test.each([301, 302, 303, 307, 308])(
    "C3: it answers %i elsewhere: not followed, the other host sees no request and no password",
    async (status) => {
      const elsewhere = await startUpstream();
      for (const location of [`${elsewhere.url}/subscription`, "//evil.test", "/subscription", "%%%"]) {
        upstream.answers(redirects(status, location));
        const answer = await visitor.submit();
        expectNotice(answer, 502, "Submission Failed", `Server error (${status}). Please try again later.`);
        expect(answer.headers.get("Location")).toBeNull();
      }
      expect(elsewhere.calls).toHaveLength(0);
      elsewhere.dispose();
    },
  );

  test.each([
    ["200 with HTML", answersWith(200, "<html>upstream-words</html>", "text/html"), "unexpected"],
    ["204", answersNothing, "unexpected"],
    ["an empty body", answersWith(200, ""), "unexpected"],
    ["{", answersWith(200, "{"), "unexpected"],
    ["no UTF-8", answersWith(200, '{"client_secret":"\\ud800'), "unexpected"],
    ["null", answersWith(200, "null"), "configuration"],
    ["[]", answersWith(200, "[]"), "configuration"],
    ['"x"', answersWith(200, '"upstream-words"'), "configuration"],
    ["deep nesting", answersWith(200, "[".repeat(60_000)), "unexpected"],
  ] satisfies [string, Fault, string][])(
    "C4: it answers %s: the catalogue's notice for it; its text is never shown",
    async (_, fault, notice) => {
      upstream.answers(fault);
      const answer = await visitor.submit();
      if (notice === "unexpected") {
        expectNotice(answer, 502, "Submission Failed", "An unexpected error occurred. Please try again.");
      } else {
        expectNotice(answer, 502, "Configuration Error", "Payment setup failed. Please contact support.");
      }
      expect(answer.body).not.toContain("upstream-words");
    },
  );

  test("C5: a BOM before the JSON and unknown extra fields are accepted", async () => {
    for (const body of [
      `\uFEFF{"client_secret":"${SECRET}"}`,
      `{"client_secret":"${SECRET}","amount":0,"more":{"__proto__":1}}`,
      ` \n{"client_secret":"${SECRET}"}\n`,
    ]) {
      for (const type of ["application/json", "text/plain"]) {
        upstream.answers(answersWith(201, body, type));
        expect((await visitor.submit()).status).toBe(303);
      }
    }
  });

  test.each([
    ["missing", "{}"],
    ["empty", '{"client_secret":""}'],
    ["a number", '{"client_secret":1}'],
    ["null", '{"client_secret":null}'],
    ["a list", '{"client_secret":["seti_x"]}'],
  ])("C6: client_secret is %s: 'Configuration Error', form kept", async (_, body) => {
    upstream.answers(answersWith(200, body));
    expectNotice(await visitor.submit(), 502, "Configuration Error", "Payment setup failed. Please contact support.");
  });

  test("C7: an endless body is refused at a cap of 64 KiB", async () => {
    const sent = { bytes: 0 };
    upstream.answers(sendsAnEndlessBody(sent));
    const answer = await visitor.submit();
    expectNotice(answer, 502, "Submission Failed", "An unexpected error occurred. Please try again.");
    // What lies in the sockets' buffers has left as well.
    expect(sent.bytes).toBeLessThan(16 * 1024 * 1024);
  });

  test("C7: 64 KiB are read, one byte more is not", async () => {
    const answer = (length: number) => `{"client_secret":"${SECRET}"}`.padEnd(length, " ");
    upstream.answers(answersWith(200, answer(64 * 1024)));
    expect((await visitor.submit()).status).toBe(303);
    upstream.answers(answersWith(200, answer(64 * 1024 + 1)));
    expect((await visitor.submit()).text).toContain("An unexpected error occurred. Please try again.");
  });

  test.each([
    [400, 400, "Invalid subscription data. Please check your information and try again."],
    [401, 502, "Authentication required. Please refresh the page and try again."],
    [403, 502, "Access forbidden. Please contact support."],
    [404, 502, "Subscription service not found. Please contact support."],
    [409, 409, "A subscription with this information already exists."],
    [422, 422, "Invalid subscription information. Please check your details."],
    [429, 429, "Too many requests. Please wait a moment and try again."],
    [500, 502, "Server error. Please try again later or contact support."],
    [503, 503, "Service temporarily unavailable. Please try again later."],
    [418, 502, "Server error (418). Please try again later."],
    [502, 502, "Server error (502). Please try again later."],
    [599, 502, "Server error (599). Please try again later."],
  ])("C8: its status %i is shown with the catalogue's exact title and message", async (status, shown, message) => {
    upstream.answers(answersWith(status, '{"error":"upstream-words"}'));
    const answer = await visitor.submit();
    expectNotice(answer, shown, "Submission Failed", message);
    expect(answer.body).not.toContain("upstream-words");
  });

  test("C8: the body of a failure is not waited for", async () => {
    upstream.answers((response) => {
      response.writeHead(409, { "Content-Length": "100" });
      response.write("{");
    });
    const started = performance.now();
    expect((await visitor.submit()).status).toBe(409);
    expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
  });
});

test("C9: it commits, but answers after the deadline; submitted again unchanged: one key, one subscription, the same client_secret", async () => {
  const { api, stripe, dispose } = await startBackend();
  const injector = await startFaultInjector(api.url);
  const late = await startSite({
    vars: {
      SUBSCRIPTION_API_URL: injector.url,
      SUBSCRIPTION_API_TIMEOUT_MS: "3000",
      STRIPE_JS_URL: `${stripe.url}/x.js`,
    },
  });
  const impatient = siteVisitor(late);
  const form_nonce = await impatient.nonce();

  injector.decide(() => ({ fault: neverAnswers, commits: true }));
  const first = await impatient.submit({ form_nonce });
  expect(first.status).toBe(504);
  expect(nonceIn(first)).toBe(form_nonce);
  const [row, ...others] = await rows(api, "SELECT * FROM sign_ups");
  expect(row).toMatchObject({ email: "ada@example.com" });
  expect(others).toEqual([]);

  injector.decide(() => undefined);
  const second = await impatient.submit({ form_nonce });
  expect(second.status).toBe(303);
  const third = await impatient.submit({ form_nonce });
  const secrets = await Promise.all(
    [second, third].map(async ({ cookie }) => {
      const { body } = await impatient.get("/subscription", { Cookie: cookie });
      return /seti_\w+_secret_\w+/.exec(body)?.[0];
    }),
  );
  expect(secrets[0]).toMatch(/^seti_/);
  expect(secrets[1]).toBe(secrets[0]);
  expect(await rows(api, "SELECT * FROM sign_ups")).toHaveLength(1);
  await Promise.all([late.dispose(), injector.dispose(), dispose()]);
});

describe("C. the key and the retries", () => {
  test("C9: the key stays for an unchanged retry, with an old, a lost or a forged nonce too, and changes with an edit", async () => {
    upstream.answersJson(500, {});
    for (const form_nonce of [await visitor.nonce(), "", "forged"]) {
      upstream.calls.length = 0;
      const again = nonceIn(await visitor.submit({ form_nonce }));
      await visitor.submit({ form_nonce: again });
      await visitor.submit({ form_nonce: again, city: "Shelbyville" });
      const [first, second, edited] = upstream.calls.map(({ headers }) => headers["idempotency-key"]);
      expect(first).toMatch(/^[\w-]{43}$/);
      expect(second).toBe(first);
      expect(edited).not.toBe(first);
    }
  });

  test("the id of the request goes upstream as X-Request-Id, and back to the visitor", async () => {
    upstream.answersJson(500, {});
    const answer = await visitor.submit({}, { "CF-Ray": "8f1e2d3c4b5a6978-FRA" });
    expect(upstream.calls[0]?.headers["x-request-id"]).toBe("8f1e2d3c4b5a6978-FRA");
    expect(answer.headers.get("X-Request-Id")).toBe("8f1e2d3c4b5a6978-FRA");
    await visitor.submit({}, { "CF-Ray": "no id, but a sentence" });
    expect(upstream.calls[1]?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("the POST is made once, unless upstream is declared idempotent", async () => {
    for (const fault of [resets, sendsAShortBody, answersWith(503, ""), answersWith(502, ""), answersWith(504, "")]) {
      upstream.answers(fault);
      await visitor.submit();
      expect(upstream.calls).toHaveLength(1);
    }
  });

  test("an upstream that is declared idempotent is called at most 3 times, with one key, inside the one deadline", async () => {
    const retrying = await startSite({
      vars: {
        SUBSCRIPTION_API_URL: upstream.url,
        SUBSCRIPTION_API_TIMEOUT_MS: "1500",
        SUBSCRIPTION_API_IDEMPOTENT: "true",
      },
    });
    const persistent = siteVisitor(retrying);
    async function callsFor(fault: Fault, status: number) {
      upstream.answers(fault);
      const started = performance.now();
      expect((await persistent.submit()).status).toBe(status);
      expect(performance.now() - started).toBeLessThan(2000);
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
    // Each call takes 600 ms: there is no time for a third one.
    const slow: Fault = (response) => void setTimeout(() => response.writeHead(503).end(), 600);
    expect(await callsFor(slow, 503)).toBe(2);

    let calls = 0;
    const recovers: Fault = (response) => {
      calls += 1;
      if (calls < 3) return response.destroy() && undefined;
      answersWith(200, JSON.stringify({ client_secret: SECRET }))(response);
    };
    expect(await callsFor(recovers, 303)).toBe(3);
    await retrying.dispose();
  });
});

test("F4: the password of all these requests is in no answer, cookie or log line; the client_secret neither", async () => {
  expect(visitor.received.length).toBeGreaterThan(50);
  expect(visitor.received.filter((answer) => /S3ntinel|seti_/.test(answer))).toEqual([]);
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(100);
  expect(logged(site)).not.toMatch(/S3ntinel|Sentinel|Lovelace|example\.com|5550123|Springfield|upstream-words/i);
});
