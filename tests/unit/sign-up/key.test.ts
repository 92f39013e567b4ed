import fc from "fast-check";
import { expect, test } from "vitest";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import { NONCE } from "../../support/site-in-process/site-context";
import { validRequest } from "../../support/visitors/visitor";

const SECRET = "a-secret-of-at-least-thirty-two-characters";
const keyOf = idempotencyKeys([SECRET, "an-old-secret-of-at-least-32-characters"]);
const names = Object.keys(validRequest) as (keyof SubscriptionRequest)[];
const changed = (name: string, value: string) => ({ ...validRequest, [name]: value });

test("an equal form has the same key, and a change of any field another one", async () => {
  const key = await keyOf(validRequest, NONCE);
  expect(key).toMatch(/^[\w-]{16}$/);
  expect(await keyOf({ ...validRequest }, NONCE)).toBe(key);
  const change = fc.tuple(fc.constantFrom(...names), fc.string({ minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(change, async ([name, value]) => {
      fc.pre(validRequest[name] !== value);
      expect(await keyOf(changed(name, value), NONCE)).not.toBe(key);
    }),
    { numRuns: 200, seed: 2026 },
  );
  expect(await keyOf(validRequest, `${NONCE.slice(1)}x`)).not.toBe(key);
});

test("without a nonce the key omits the password, and so tells nothing about it", async () => {
  const key = await keyOf(validRequest, undefined);
  expect(await keyOf(changed("password", "An0ther one!"), undefined)).toBe(key);
  expect(await keyOf(changed("city", "Elsewhere"), undefined)).not.toBe(key);
});

test("the first secret makes the key", async () => {
  expect(await idempotencyKeys([SECRET])(validRequest, NONCE)).toBe(await keyOf(validRequest, NONCE));
  expect(await idempotencyKeys(["another-secret-of-at-least-32-letters"])(validRequest, NONCE)).not.toBe(
    await keyOf(validRequest, NONCE),
  );
});
