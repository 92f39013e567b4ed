import { describe, expect, test } from "vitest";
import { packageIdOf } from "../../app/contract/package-id";
import type { SubscriptionRequest } from "../../app/contract/subscription-request";
import { readConfiguration } from "../../app/edge/settings/configuration.server";
import { formNonces } from "../../app/signup/form/form-nonce.server";
import { signupSessions } from "../../app/signup/session/session.server";
import { idempotencyKey } from "../../app/signup/submit/idempotency-key.server";

const secret = "a-secret-of-at-least-thirty-two-characters";
const request: SubscriptionRequest = {
  full_name: "Ada Lovelace",
  company_name: "Analytical Engines",
  email: "ada@example.com",
  phone: "2125550123",
  password: "Passw0rd !",
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "United States",
};

test("the idempotency key stays for an unchanged retry and changes with an edit, another form or another secret", async () => {
  const key = await idempotencyKey(secret, "n", request);
  expect(await idempotencyKey(secret, "n", { ...request, package_id: undefined })).toBe(key);
  expect(await idempotencyKey(secret, "n", { ...request, password: "Passw0rd ?" })).not.toBe(key);
  expect(await idempotencyKey(secret, "m", request)).not.toBe(key);
  expect(await idempotencyKey(`${secret}!`, "n", request)).not.toBe(key);
});

test("a form nonce is fresh for a day, and only as it was issued", async () => {
  let now = 1_800_000_000_000;
  const nonces = formNonces(secret, () => now);
  const nonce = await nonces.issue();
  expect(await nonces.isFresh(nonce)).toBe(true);
  expect(await nonces.isFresh(`${nonce}x`)).toBe(false);
  expect(await nonces.isFresh(`x${nonce}`)).toBe(false);
  expect(await nonces.isFresh("")).toBe(false);
  expect(await formNonces(`${secret}!`, () => now).isFresh(nonce)).toBe(false);
  now += 24 * 60 * 60 * 1000 + 1;
  expect(await nonces.isFresh(nonce)).toBe(false);
});

test("the largest session fits into a cookie and keeps its contents to itself", async () => {
  const sessions = signupSessions(secret, true);
  const wide = (length: number) => "\u6f22".repeat(length);
  const cookie = await sessions.write({
    step: "card",
    clientSecret: `seti_${"1".repeat(24)}_secret_${"s".repeat(30)}`,
    account: {
      companyName: wide(100),
      fullName: wide(100),
      email: `${"e".repeat(242)}@example.com`,
      phone: "1".repeat(15),
      packageId: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
    },
    address: { line1: wide(150), city: wide(80), state: wide(80), postalCode: "12345-6789", country: wide(60) },
  });
  expect(cookie.length).toBeLessThan(4096);
  expect(cookie).toMatch(/^__Host-signup=/);
  for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute);
  expect(cookie).not.toContain("seti_");
});

test("the package id comes from the path, then id, uuid, package_id", () => {
  const address = (query: string) => `https://site.example/subscription${query}`;
  expect(packageIdOf(address("?id=b&uuid=c&package_id=d"), "a")).toBe("a");
  expect(packageIdOf(address("?package_id=d&uuid=c&id=b"), undefined)).toBe("b");
  expect(packageIdOf(address("?package_id=d&uuid=c"), undefined)).toBe("c");
  expect(packageIdOf(address("?package_id=d"), undefined)).toBe("d");
  expect(packageIdOf(address(""), undefined)).toBe("");
});

describe("the configuration", () => {
  const production = {
    SITE_URL: "https://www.site.example",
    CONSOLE_URL: "https://console.site.example",
    RESEARCH_URL: "https://research.example/",
    SALES_EMAIL: "sales@site.example",
    SUPPORT_EMAIL: "support@site.example",
    LEGAL_EMAIL: "legal@site.example",
    PACKAGE_ID_MINI: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
    PACKAGE_ID_LITE: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
    PACKAGE_ID_STANDARD: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
    SUBSCRIPTION_API_URL: "https://api.site.example/",
    SESSION_SECRET: secret,
    SIGNUP_RATE_LIMIT: { limit: async () => ({ success: true }) },
    CSP_REPORT_RATE_LIMIT: { limit: async () => ({ success: true }) },
    ASSETS: { fetch: async () => new Response() },
  };

  test("a complete one is read, with its defaults", () => {
    expect(readConfiguration(production)).toMatchObject({
      status: "success",
      configuration: {
        SUBSCRIPTION_API_URL: "https://api.site.example",
        SUBSCRIPTION_API_TIMEOUT_MS: 10_000,
        SUBSCRIPTION_API_IDEMPOTENT: false,
        STRIPE_PUBLISHABLE_KEY: "",
      },
    });
  });

  test.each([
    ["SESSION_SECRET", undefined],
    ["SESSION_SECRET", "short"],
    ["SESSION_SECRET", "only-for-local-development-never-for-a-deployment"],
    ["SUBSCRIPTION_API_URL", "https://user:pass@api.site.example"],
    ["SUBSCRIPTION_API_URL", "javascript:alert(1)"],
    ["SUBSCRIPTION_API_URL", "http://api.site.example"],
    ["STRIPE_JS_URL", "http://localhost:8789/endive/stripe.js"],
    ["STRIPE_PUBLISHABLE_KEY", "sk_live_oops"],
    ["PACKAGE_ID_MINI", "mini"],
    ["SALES_EMAIL", "sales"],
    ["SUBSCRIPTION_API_TIMEOUT_MS", "soon"],
    ["SUBSCRIPTION_API_IDEMPOTENT", "yes, please"],
    ["SIGNUP_RATE_LIMIT", undefined],
    ["CSP_REPORT_RATE_LIMIT", "10"],
  ])("C10: a wrong %s is named when the configuration is read, its value is not", (name, value) => {
    const read = readConfiguration({ ...production, [name]: value });
    expect(read).toMatchObject({ status: "error", problems: [{ name }] });
    if (value !== undefined) expect(JSON.stringify(read)).not.toContain(value);
  });
});
