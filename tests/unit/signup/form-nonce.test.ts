import { expect, test } from "vitest";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { formNonces } from "../../../app/signup/form/form-nonce.server";
import { sign, signerOf } from "../../../app/signup/form/signature.server";

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

test("the idempotency key stays for an unchanged retry and changes with an edit, another form or another secret [C9]", async () => {
  const { issue, idempotencyKey } = formNonces([secret]);
  const nonce = await issue();
  const key = await idempotencyKey(nonce, request);
  expect(await idempotencyKey(nonce, { ...request, package_id: undefined })).toBe(key);
  expect(await idempotencyKey(nonce, { ...request, password: "Passw0rd ?" })).not.toBe(key);
  expect(await idempotencyKey(await issue(), request)).not.toBe(key);
  expect(await formNonces([`${secret}!`]).idempotencyKey(nonce, request)).not.toBe(key);
});

test("without a nonce of the site no password can be tried against the key: it is not in it [H18]", async () => {
  const { issue, idempotencyKey } = formNonces([secret]);
  for (const nonce of ["", "n", "0.1.x", `${await issue()}x`]) {
    const key = await idempotencyKey(nonce, request);
    expect(await idempotencyKey(nonce, { ...request, password: "Passw0rd ?" })).toBe(key);
    expect(await idempotencyKey(nonce, { ...request, city: "Shelbyville" })).not.toBe(key);
  }
});

test("a nonce has 128 random bits, and the key tells nothing of them [H18]", async () => {
  const { issue, idempotencyKey } = formNonces([secret], () => 1_800_000_000_000);
  const nonces = await Promise.all(Array.from({ length: 100 }, issue));
  expect(new Set(nonces).size).toBe(100);
  for (const nonce of nonces) {
    const [, random = ""] = nonce.split(".");
    expect(random).toMatch(/^[\w-]{22}$/);
    expect(await idempotencyKey(nonce, request)).not.toContain(random.slice(0, 8));
  }
});

test("a form nonce is fresh for a day, and only as it was issued", async () => {
  let now = 1_800_000_000_000;
  const nonces = formNonces([secret], () => now);
  const nonce = await nonces.issue();
  expect(await nonces.isFresh(nonce)).toBe(true);
  expect(await nonces.isFresh(`${nonce}x`)).toBe(false);
  expect(await nonces.isFresh(`x${nonce}`)).toBe(false);
  expect(await nonces.isFresh("")).toBe(false);
  expect(await formNonces([`${secret}!`], () => now).isFresh(nonce)).toBe(false);
  now += 24 * 60 * 60 * 1000;
  expect(await nonces.isFresh(nonce)).toBe(true);
  now += 1;
  expect(await nonces.isFresh(nonce)).toBe(false);
  now = 1_800_000_000_000 - 1;
  expect(await nonces.isFresh(nonce)).toBe(false);
});

test("while the secret changes, a nonce of the old one is still good and keeps its idempotency key [H19]", async () => {
  const nonce = await formNonces([secret]).issue();
  const changing = formNonces([`${secret}!`, secret]);
  expect(await changing.isFresh(nonce)).toBe(true);
  expect(await formNonces([secret]).isFresh(await changing.issue())).toBe(false);
  const key = await formNonces([secret]).idempotencyKey(nonce, request);
  expect(await changing.idempotencyKey(nonce, request)).toBe(key);
});

test("what is signed for one purpose is signed for no other, and by none but its secret [H18]", async () => {
  const signature = await sign(secret, "form-nonce", "a message");
  expect(signature).toMatch(/^[\w-]{43}$/);
  const signer = (purpose: string, message: string, given = signature) =>
    signerOf([`${secret}!`, secret], purpose, message, given);
  expect(await signer("form-nonce", "a message")).toBe(secret);
  expect(await signer("confirmation", "a message")).toBeUndefined();
  expect(await signer("form-nonce", "another")).toBeUndefined();
  for (const given of ["", "%", `${signature}AA`])
    expect(await signer("form-nonce", "a message", given)).toBeUndefined();
});
