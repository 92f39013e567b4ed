import { afterEach, expect, test, vi } from "vitest";
import { turnstile } from "../../../../app/signup/server/bots/turnstile.server";
import { recordedLog } from "../../../support/site-in-process/pipeline-context";

afterEach(() => vi.restoreAllMocks());

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
async function verify(answer: () => Response, { token, secretKey }: { token?: string; secretKey?: string }) {
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
  const { log, lines } = recordedLog();
  const verdict = await turnstile({ siteKey: "site", secretKey }).verify(token, log);
  return { verdict, failures: lines.map(([event]) => event), calls: fetching.mock.calls };
}

const KEYS = { token: "a-token", secretKey: "a-secret" };
const says = (body: object) => () => Response.json(body);

test("Turnstile receives the token and the site's secret, has three seconds, and no redirect is followed [G11]", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { calls } = await verify(says({ success: true }), KEYS);
  const [[url, init] = []] = calls;
  expect([url, init?.method, init?.redirect]).toEqual([
    "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    "POST",
    "manual",
  ]);
  expect(String(init?.body)).toBe("secret=a-secret&response=a-token");
  expect(timeout.mock.calls).toEqual([[3_000]]);
});

test.each<[string, () => Response, string, boolean]>([
  ["a valid token", says({ success: true }), "passed", false],
  ["an invalid token", says({ success: false, "error-codes": ["invalid-input-response"] }), "failed", false],
  ["a used token", says({ success: false, "error-codes": ["timeout-or-duplicate"] }), "failed", false],
  [
    "an invalid token with other errors",
    says({ success: false, "error-codes": ["bad-request", "invalid-input-response"] }),
    "failed",
    false,
  ],
  ["a wrong secret", says({ success: false, "error-codes": ["invalid-input-secret"] }), "unknown", true],
  ["a failure without a reason", says({ success: false }), "unknown", true],
  ["a token, if it is not JSON,", () => new Response("<html>"), "unknown", true],
  ["a token, if it is too long,", () => Response.json({ success: true, more: "x".repeat(16 * 1024) }), "unknown", true],
  [
    "a token, if the connection fails,",
    () => {
      throw new TypeError("fetch failed");
    },
    "unknown",
    true,
  ],
])("Turnstile's response to %s gives the right verdict", async (_, answer, verdict, isLogged) => {
  const found = await verify(answer, KEYS);
  expect([found.verdict, found.failures]).toEqual([verdict, isLogged ? ["turnstile_failed"] : []]);
});

test.each<[object, string, number]>([
  [{ token: undefined }, "unknown", 0],
  [{ token: "" }, "unknown", 0],
  [{ secretKey: undefined }, "unknown", 0],
  [{ token: "x".repeat(2048) }, "passed", 1],
  [{ token: "x".repeat(2049) }, "failed", 0],
])("Turnstile is asked only about possible tokens, and only with a secret (%#)", async (change, verdict, asked) => {
  const found = await verify(says({ success: true }), { ...KEYS, ...change });
  expect([found.verdict, found.calls.length]).toEqual([verdict, asked]);
});
