import { expect, test } from "vitest";
import { formNonces } from "../../app/signup/form/form-nonce.server";

const secret = "a-secret-of-at-least-thirty-two-characters";

test("a form nonce is fresh for a day, and only as it was issued", async () => {
  let now = 1_800_000_000_000;
  const nonces = formNonces([secret], () => now);
  const nonce = await nonces.issue();
  expect(await nonces.isFresh(nonce)).toBe(true);
  expect(await nonces.isFresh(`${nonce}x`)).toBe(false);
  expect(await nonces.isFresh(`x${nonce}`)).toBe(false);
  expect(await nonces.isFresh("")).toBe(false);
  expect(await formNonces([`${secret}!`], () => now).isFresh(nonce)).toBe(false);
  now += 24 * 60 * 60 * 1000 + 1;
  expect(await nonces.isFresh(nonce)).toBe(false);
});

test("while the secret changes, a nonce of the old one is still good [H19]", async () => {
  const nonce = await formNonces([secret]).issue();
  const changing = formNonces([`${secret}!`, secret]);
  expect(await changing.isFresh(nonce)).toBe(true);
  expect(await formNonces([secret]).isFresh(await changing.issue())).toBe(false);
});
