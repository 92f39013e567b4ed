import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  fields,
  logged,
  nonceIn,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import {
  answersNothing,
  answersWith,
  type Behaviour,
  closesWithoutAnswer,
  redirects,
  resets,
  sendsAnEndlessBody,
  sendsAShortBody,
  stallsInACompressedBody,
  startUpstream,
  type Upstream,
} from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* The call to the subscription API, and what becomes of each answer. */

const DEADLINE_MS = 700;

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite({
    vars: { SUBSCRIPTION_API_TIMEOUT_MS: String(DEADLINE_MS) },
  });
  ({ upstream, site, visitor } = started);
  return started.dispose;
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

describe("an API that", () => {
  afterEach(async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    expect((await visitor.submit()).status, "the next request works").toBe(303);
  });

  test.each([
    ["resets the connection", resets],
    ["closes the connection", closesWithoutAnswer],
    ["sends a short body", sendsAShortBody],
  ] satisfies [string, Behaviour][])(
    "%s gives 'Connection Failed' and 502, form kept [C2] [S7] [M4]",
    async (_, fault) => {
      upstream.answers(fault);
      expectConnectionFailed(await visitor.submit(), 502);
    },
  );

  test("is not there at all gives 'Connection Failed' and 502 [C2]", async () => {
    const alone = await startSite({ vars: { SUBSCRIPTION_API_URL: "http://127.0.0.1:9" } });
    const answer = await siteVisitor(alone).submit();
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("Connection Failed");
    await alone.dispose();
  });

  test.each([301, 302, 303, 307, 308])(
    "answers %i elsewhere is not followed: the other host sees no request and no password [C3]",
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
  ] satisfies [string, Behaviour, string][])(
    "answers %s gets the notice for it; its text is never shown [C4] [S7] [M5]",
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

  test("sends a BOM before the JSON, or more fields than it must, is understood [C5] [N3]", async () => {
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
    ["too long", JSON.stringify({ client_secret: `seti_1_secret_${"x".repeat(2000)}` })],
  ])(
    "answers with a client_secret that is %s gives 'Configuration Error', form kept [C6] [H16] [S7] [M6]",
    async (_, body) => {
      upstream.answers(answersWith(200, body));
      expectNotice(await visitor.submit(), 502, "Configuration Error", "Payment setup failed. Please contact support.");
    },
  );

  test("sends an endless body is not read beyond 64 KiB [C7]", async () => {
    const sent = { bytes: 0 };
    upstream.answers(sendsAnEndlessBody(sent));
    const answer = await visitor.submit();
    expectNotice(answer, 502, "Submission Failed", "An unexpected error occurred. Please try again.");
    // What lies in the sockets' buffers has left as well.
    expect(sent.bytes).toBeLessThan(16 * 1024 * 1024);
  });

  test("sends a compressed body is not read beyond 64 KiB of what it says, nor waited for [C7]", async () => {
    upstream.answers(stallsInACompressedBody(256 * 1024));
    // Read to its end, it would take until the deadline: 504.
    expectNotice(await visitor.submit(), 502, "Submission Failed", "An unexpected error occurred. Please try again.");
  });

  test("sends 64 KiB is read, and one byte more is not [C7]", async () => {
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
  ])("answers %i gives exactly the title and the message for it [C8] [S7] [M3]", async (status, shown, message) => {
    upstream.answers(answersWith(status, '{"error":"upstream-words"}'));
    const answer = await visitor.submit();
    expectNotice(answer, shown, "Submission Failed", message);
    expect(answer.body).not.toContain("upstream-words");
  });

  test("answers 409 to a request that it still works on: nobody is told that there is a subscription [M10]", async () => {
    upstream.answers((response) => {
      response.writeHead(409, { "Retry-After": "2" }).end("{}");
    });
    const answer = await visitor.submit();
    expectNotice(answer, 503, "Submission Failed", "Service temporarily unavailable. Please try again later.");
    expect(answer.text).not.toContain("already");
  });

  test("fails is not waited for until its body is there [C8]", async () => {
    upstream.answers((response) => {
      response.writeHead(409, { "Content-Length": "100" });
      response.write("{");
    });
    const started = performance.now();
    expect((await visitor.submit()).status).toBe(409);
    expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
  });
});

describe("the idempotency key", () => {
  test("stays for an unchanged retry, with an old, a lost or a forged nonce too, and changes with an edit [C9]", async () => {
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
});

test("the id of the request goes to the API as X-Request-Id, and back to the visitor", async () => {
  upstream.answersJson(500, {});
  const answer = await visitor.submit({}, { "CF-Ray": "8f1e2d3c4b5a6978-FRA" });
  expect(upstream.calls[0]?.headers["x-request-id"]).toBe("8f1e2d3c4b5a6978-FRA");
  expect(answer.headers.get("X-Request-Id")).toBe("8f1e2d3c4b5a6978-FRA");
  await visitor.submit({}, { "CF-Ray": "no id, but a sentence" });
  expect(upstream.calls[1]?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("an API of which the site has no binding and no secret gets no secret, and nothing about the visitor's IP [H1]", async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  await visitor.submit(
    {},
    { "CF-Connecting-IP": "192.0.2.77", "Subscription-Api-Secret": "x", "Subscription-Sender": "y" },
  );
  const names = Object.keys(upstream.calls[0]?.headers ?? {});
  expect(names.filter((name) => /subscription|secret|sender|authorization|forwarded|cookie/.test(name))).toEqual([]);
  expect(JSON.stringify(upstream.calls[0]?.headers)).not.toContain("192.0.2.77");
});

test("the form is sent on once, unless the API is declared idempotent [N1]", async () => {
  for (const fault of [resets, sendsAShortBody, answersWith(503, ""), answersWith(502, ""), answersWith(504, "")]) {
    upstream.answers(fault);
    await visitor.submit();
    expect(upstream.calls).toHaveLength(1);
  }
});

test("the password of all these requests is in no answer, cookie or log line; the client_secret neither [F4]", async () => {
  expect(visitor.received.length).toBeGreaterThan(50);
  expect(visitor.received.filter((answer) => /S3ntinel|seti_/.test(answer))).toEqual([]);
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(100);
  expect(logged(site)).not.toMatch(/S3ntinel|Sentinel|Lovelace|example\.com|5550123|Springfield|upstream-words/i);
});
