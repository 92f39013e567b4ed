import { expect, test } from "vitest";
import { formNonces } from "../../../app/signup/server/submit/form-nonce.server";
import { sign, signerOf } from "../../../app/signup/server/submit/signature.server";
import { validRequest } from "../../support/visitors/visitor";

/** Of a form without a plan. */
const { package_id: _, ...request } = validRequest;

const secret = "a-secret-of-at-least-thirty-two-characters";

test("the idempotency key stays the same for an unchanged retry, and changes with an edit, a new form or a new secret [C9]", async () => {
  const { issue, idempotencyKey } = formNonces([secret]);
  const nonce = await issue();
  const key = await idempotencyKey(nonce, request);
  expect(await idempotencyKey(nonce, { ...request, package_id: undefined })).toBe(key);
  expect(await idempotencyKey(nonce, { ...request, password: "Passw0rd ?" })).not.toBe(key);
  expect(await idempotencyKey(await issue(), request)).not.toBe(key);
  expect(await formNonces([`${secret}!`]).idempotencyKey(nonce, request)).not.toBe(key);
});

test("without a nonce from the site the idempotency key excludes the password, so it cannot be used to guess one [H18]", async () => {
  const { issue, idempotencyKey } = formNonces([secret]);
  for (const nonce of ["", "n", "0.1.x", `${await issue()}x`]) {
    const key = await idempotencyKey(nonce, request);
    expect(await idempotencyKey(nonce, { ...request, password: "Passw0rd ?" })).toBe(key);
    expect(await idempotencyKey(nonce, { ...request, city: "Shelbyville" })).not.toBe(key);
  }
});

test("a nonce has 128 random bits, and the idempotency key reveals none of them [H18]", async () => {
  const { issue, idempotencyKey } = formNonces([secret], () => 1_800_000_000_000);
  const nonces = await Promise.all(Array.from({ length: 100 }, issue));
  expect(new Set(nonces).size).toBe(100);
  for (const nonce of nonces) {
    const [, random = ""] = nonce.split(".");
    expect(random).toMatch(/^[\w-]{22}$/);
    expect(await idempotencyKey(nonce, request)).not.toContain(random.slice(0, 8));
  }
});

test("a form nonce is fresh for a day, and only unmodified", async () => {
  let now = 1_800_000_000_000;
  const nonces = formNonces([secret], () => now);
  const nonce = await nonces.issue();
  expect(await nonces.read(nonce)).toBeDefined();
  for (const wrong of [`${nonce}x`, `x${nonce}`, "", ".", "0", "-1.x.y", "zz.x"])
    expect(await nonces.read(wrong), wrong).toBeUndefined();
  expect(await formNonces([`${secret}!`], () => now).read(nonce)).toBeUndefined();
  now += 24 * 60 * 60 * 1000;
  expect(await nonces.read(nonce)).toBeDefined();
  now += 1;
  expect(await nonces.read(nonce)).toBeUndefined();
  now = 1_800_000_000_000 - 1;
  expect(await nonces.read(nonce)).toBeUndefined();
});

test("a nonce yields its random part and its issue time independently of each other", async () => {
  const nonces = formNonces([secret], () => 1_800_000_000_000);
  const [one, other] = [await nonces.issue(), await nonces.issue()];
  const earlier = await formNonces([secret], () => 1_799_999_999_000).issue();
  for (const nonce of [one, other, earlier, one]) {
    const issuedAt = nonce === earlier ? 1_799_999_999_000 : 1_800_000_000_000;
    expect(await nonces.read(nonce)).toEqual({ id: nonce.split(".")[1], issuedAt });
    expect(await nonces.read(`${nonce}x`)).toBeUndefined();
  }
});

test("during secret rotation a nonce of the old secret is still valid and keeps its idempotency key [H19]", async () => {
  const nonce = await formNonces([secret]).issue();
  const changing = formNonces([`${secret}!`, secret]);
  expect(await changing.read(nonce)).toBeDefined();
  expect(await formNonces([secret]).read(await changing.issue())).toBeUndefined();
  const key = await formNonces([secret]).idempotencyKey(nonce, request);
  expect(await changing.idempotencyKey(nonce, request)).toBe(key);
});

test("a signature is valid for its own purpose and secret only [H18]", async () => {
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
