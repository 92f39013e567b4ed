import { expect, test } from "vitest";
import type { SubscriptionRequest } from "../../app/contract/subscription-request";
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
