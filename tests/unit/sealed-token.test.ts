import { expect, test } from "vitest";
import { sealFor } from "../../app/signup/session/sealed-token.server";

const secret = "a-secret-of-at-least-thirty-two-characters";
const value = { step: "card", clientSecret: "seti_1_secret_2", city: "Zürich 漢" };

test("what was sealed is opened again, and no two seals are alike", async () => {
  const seal = sealFor(secret, "cookie");
  const [one, other] = [await seal.close(value, 60), await seal.close(value, 60)];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[\w-]+$/);
  expect(await seal.open(one)).toEqual(value);
  expect(await sealFor(secret, "cookie").open(other)).toEqual(value);
});

test("a seal ends with its time", async () => {
  let now = 1_800_000_000_000;
  const seal = sealFor(secret, "cookie", () => now);
  const sealed = await seal.close(value, 60);
  now += 59_999;
  expect(await seal.open(sealed)).toEqual(value);
  now += 1;
  expect(await seal.open(sealed)).toBeUndefined();
});

test("a seal for another purpose, or under another secret, stays closed", async () => {
  const sealed = await sealFor(secret, "cookie").close(value, 60);
  expect(await sealFor(secret, "token").open(sealed)).toBeUndefined();
  expect(await sealFor(`${secret}!`, "cookie").open(sealed)).toBeUndefined();
});

test("one bit changed anywhere, a byte less or more, or none at all: it stays closed", async () => {
  const seal = sealFor(secret, "cookie");
  const sealed = Buffer.from(await seal.close(value, 60), "base64url");
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(await seal.open(changed.toString("base64url"))).toBeUndefined();
  }
  for (const length of [0, 1, 12, 28, sealed.length - 1]) {
    expect(await seal.open(sealed.subarray(0, length).toString("base64url"))).toBeUndefined();
  }
  expect(await seal.open(Buffer.concat([sealed, Buffer.of(0)]).toString("base64url"))).toBeUndefined();
});
