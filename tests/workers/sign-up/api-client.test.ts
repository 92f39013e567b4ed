import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Answer, SECRET, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import {
  type Behavior,
  neverAnswers,
  redirects,
  resets,
  stallsInACompressedBody,
  startUpstream,
} from "../../support/workers/upstream";

/* What workerd's `fetch` makes of an API that fails; what its answers mean is in tests/unit/sign-up/. */

const DEADLINE_MS = 1_500;

const vars = { SUBSCRIPTION_API_TIMEOUT_MS: String(DEADLINE_MS), DEADLINE_FACTOR: "1" };
const { upstream, visitor, dispose } = await startVisitedSite({ vars });
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const stallsInTheBody: Behavior = (response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write("{");
};

/** The form is back, with a notice and everything typed but the passwords; and nobody was called a second time. */
function expectNotice(answer: Answer, status: number, title: string) {
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(title);
  expect(answer.body).toMatch(/<title>Error: /);
  for (const value of Object.values(typed)) expect(answer.text).toContain(`value="${value}"`);
  expect(answer.cookie).toBe("");
  expect(upstream.calls).toHaveLength(1);
}

describe("an API that", () => {
  test.each<[what: string, status: number, fault: Behavior]>([
    ["resets the connection", 502, resets],
    ["never answers", 504, neverAnswers],
    ["sends headers, then stalls", 504, stallsInTheBody],
  ])("%s gives 'Connection Failed' with %i and keeps the form; the next request works", async (_, status, fault) => {
    upstream.answers(fault);
    expectNotice(await visitor.submit(), status, "Connection Failed");
    upstream.answersJson(200, { client_secret: SECRET });
    expect((await visitor.submit()).status).toBe(303);
  });

  test("redirects is not followed, so the other host gets no request and no password", async () => {
    const elsewhere = await startUpstream();
    for (const status of [302, 307]) {
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

  test("sends a compressed body is read up to 64 KiB decompressed, and not awaited", async () => {
    upstream.answers(stallsInACompressedBody(256 * 1024));
    // Read to its end, it would take until the deadline: 504.
    expectNotice(await visitor.submit(), 502, "An unexpected error occurred. Please try again.");
  });
});
