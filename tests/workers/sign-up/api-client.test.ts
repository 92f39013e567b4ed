import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Answer,
  fields,
  logged,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import {
  answersWith,
  type Behaviour,
  neverAnswers,
  redirects,
  resets,
  sendsAShortBody,
  stallsInACompressedBody,
  stallsInTheBody,
  startUpstream,
  type Upstream,
} from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* What workerd's `fetch` makes of an API that fails; what its answers mean is in tests/unit/signup/submit/. */

const DEADLINE_MS = 1_500;

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite({ vars: { SUBSCRIPTION_API_TIMEOUT_MS: String(DEADLINE_MS) } });
  ({ upstream, site, visitor } = started);
  return started.dispose;
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

/** The form is back, with a notice and everything typed but the passwords; and nobody was called a second time. */
function expectNotice(answer: Answer, status: number, title: string) {
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(title);
  expect(answer.body).toMatch(/<title>Error: /);
  const { password: _, confirmPassword: __, ...kept } = fields;
  for (const value of Object.values(kept)) expect(answer.text).toContain(`value="${value}"`);
  expect(answer.cookie).toBe("");
  expect(upstream.calls).toHaveLength(1);
}

describe("an API that", () => {
  test.each<[what: string, status: number, row: string, fault: Behaviour]>([
    ["resets the connection", 502, "C2", resets],
    ["sends a short body", 502, "C2", sendsAShortBody],
    ["never answers", 504, "C1", neverAnswers],
    ["sends headers, then stalls", 504, "C1", stallsInTheBody],
  ])(
    "%s gives 'Connection Failed', %i, with the form kept; the next request works [%s] [M4]",
    async (...[, status, , fault]) => {
      upstream.answers(fault);
      const started = performance.now();
      expectNotice(await visitor.submit(), status, "Connection Failed");
      expect(performance.now() - started).toBeLessThan(DEADLINE_MS + 5_000);
      upstream.answersJson(200, { client_secret: SECRET });
      expect((await visitor.submit()).status).toBe(303);
    },
  );

  test("is not there at all gives 'Connection Failed' and 502 [C2]", async () => {
    const alone = await startSite({ vars: { SUBSCRIPTION_API_URL: "http://127.0.0.1:9" } });
    const answer = await siteVisitor(alone).submit();
    expect([answer.status, answer.text.includes("Connection Failed")]).toEqual([502, true]);
    await alone.dispose();
  });

  test("redirects is not followed: the other host sees no request and no password [C3]", async () => {
    const elsewhere = await startUpstream();
    for (const status of [301, 302, 303, 307, 308]) {
      upstream.answers(redirects(status, `${elsewhere.url}/subscription`));
      const answer = await visitor.submit();
      expectNotice(answer, 502, `Server error (${status}). Please try again later.`);
      expect(answer.headers.get("Location")).toBeNull();
    }
    upstream.answers(redirects(307, "%%%"));
    expectNotice(await visitor.submit(), 502, "Server error (307)");
    expect(elsewhere.calls).toHaveLength(0);
    elsewhere.dispose();
  });

  test("sends a compressed body is not read beyond 64 KiB of what it says, nor waited for [C7]", async () => {
    upstream.answers(stallsInACompressedBody(256 * 1024));
    // Read to its end, it would take until the deadline: 504.
    expectNotice(await visitor.submit(), 502, "An unexpected error occurred. Please try again.");
  });

  test("sends words of its own has none of them shown [C4] [C6]", async () => {
    for (const [status, body] of [
      [200, '{"error":"upstream-words"}'],
      [200, "<html>upstream-words"],
      [500, '{"error":"upstream-words"}'],
    ] as const) {
      upstream.answers(answersWith(status, body));
      const answer = await visitor.submit();
      expect([answer.status, answer.body.includes("upstream-words")]).toEqual([502, false]);
    }
  });
});

test("the id of the request goes to the API as X-Request-Id, and back to the visitor", async () => {
  const answer = await visitor.submit({}, { "CF-Ray": "8f1e2d3c4b5a6978-FRA" });
  expect(upstream.calls[0]?.headers["x-request-id"]).toBe("8f1e2d3c4b5a6978-FRA");
  expect(answer.headers.get("X-Request-Id")).toBe("8f1e2d3c4b5a6978-FRA");
  await visitor.submit({}, { "CF-Ray": "no id, but a sentence" });
  expect(upstream.calls[1]?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("an API of which the site has no binding and no secret gets no secret, and nothing about the visitor's IP [H1]", async () => {
  const claims = { "Subscription-Api-Secret": "x", "Subscription-Sender": "y" };
  await visitor.submit({}, { "CF-Connecting-IP": "192.0.2.77", ...claims });
  const names = Object.keys(upstream.calls[0]?.headers ?? {});
  expect(names.filter((name) => /subscription|secret|sender|authorization|forwarded|cookie/.test(name))).toEqual([]);
  expect(JSON.stringify(upstream.calls[0]?.headers)).not.toContain("192.0.2.77");
});

test.each([
  [undefined, "http://localhost:8788/subscription"],
  ["http://localhost:9/v1/", "http://localhost:9/v1/subscription"],
])("the API base %s leads the form to %s [N4]", async (base, url) => {
  const called: string[] = [];
  const outboundService = (request: { method: string; url: string }) => {
    called.push(`${request.method} ${request.url}`);
    return new Response(JSON.stringify({ client_secret: SECRET }));
  };
  const based = await startSite({ vars: { SUBSCRIPTION_API_URL: base }, miniflare: { outboundService } });
  expect((await siteVisitor(based).submit()).status).toBe(303);
  expect(called).toEqual([`POST ${url}`]);
  await based.dispose();
});

test("the password of all these forms is in no answer, cookie or log line; nor is the client_secret [F4]", async () => {
  expect(visitor.received.filter((answer) => /S3ntinel|seti_/.test(answer))).toEqual([]);
  const requests = () => site.logs.filter(({ event }) => event === "request");
  await expect.poll(() => requests().length).toBe(visitor.received.length);
  expect(logged(site)).not.toMatch(/S3ntinel|Sentinel|Lovelace|example\.com|5550123|Springfield|upstream-words/i);
});
