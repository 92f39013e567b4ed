import { afterEach, expect, test, vi } from "vitest";
import { VERIFICATION_REQUIRED } from "../../../../app/contract/problem-types";
import { API_SECRET_HEADER, VERIFIED_HEADER } from "../../../../app/contract/site-headers";
import { apiInProcess } from "../../../support/api-in-process/api";
import { times, validRequest } from "../../../support/visitors/visitor";

afterEach(() => {
  vi.useRealTimers();
});

test("the daily limit is exact for concurrent sign-ups, and the refused ones are asked to come back tomorrow [H3]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-22T22:00:00Z") });
  const { ask, rows } = apiInProcess({ settings: { SIGN_UPS_PER_EMAIL_A_DAY: "3" } });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(validRequest);
  const post = (sender: string) =>
    ask("/subscription", { method: "POST", headers: { ...headers, "subscription-sender": sender }, body }, "site");
  const answers = await times(20, (index) => post(`192.0.2.${index}`));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(17).fill(429)]);
  expect(rows("SELECT id FROM sign_ups")).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("7200");
  expect(await refused?.json()).toMatchObject({
    title: "Too many sign-ups today",
    detail: "Try again tomorrow, after midnight UTC.",
  });
});

test("a network over its daily limit is told that Turnstile lifts it; only the site may report a verification [H3]", async () => {
  const SUBSCRIPTION_API_SECRET = "s".repeat(32);
  const { ask } = apiInProcess({ settings: { SIGN_UPS_PER_NETWORK_A_DAY: "1", SUBSCRIPTION_API_SECRET } });
  const post = (entrypoint: "site" | "public", more: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", "subscription-sender": "2001:db8:7:1::/64", ...more };
    const body = JSON.stringify({ ...validRequest, email: `${crypto.randomUUID()}@example.com` });
    return ask("/subscription", { method: "POST", headers, body }, entrypoint);
  };
  expect((await post("site")).status).toBe(200);
  const refused = await post("site");
  expect([refused.status, await refused.json()]).toEqual([
    429,
    expect.objectContaining({ type: VERIFICATION_REQUIRED }),
  ]);
  expect((await post("site", { [VERIFIED_HEADER]: "yes" })).status).toBe(429);
  expect((await post("site", { [VERIFIED_HEADER]: "true" })).status).toBe(200);
  expect((await post("public", { [VERIFIED_HEADER]: "true" })).status).toBe(401);
  expect((await post("public", { [VERIFIED_HEADER]: "true", [API_SECRET_HEADER]: "s".repeat(32) })).status).toBe(200);
});
