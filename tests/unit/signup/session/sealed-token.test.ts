import { decodeProtectedHeader, EncryptJWT, SignJWT, UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import { sealedTokens } from "../../../../app/signup/server/session/sealed-token.server";

const secret = "a-secret-of-at-least-thirty-two-characters";
const value = { step: "card", clientSecret: "seti_1_secret_2", city: "Zürich 漢" };

/** It says nothing of when it was sealed. */
const OF_AN_EARLIER_RELEASE =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoidVJBakF0MEYifQ..hII__QrDBEcsZRKo.flJuQrhPrxCKM8dE_rHgBgHMpQdR545AbmxWlVz199jX-g0u36PRUXdMQ9e0YsTuyTSWbdqzLbDv.xtVM5jKLnnYhJb5WXp0jcw";

const later = () => Date.now() + 60_000;

test("a sealed token opens to its contents, and no two tokens are equal", async () => {
  const tokens = sealedTokens([secret], "cookie");
  const [one, other] = [await tokens.seal(value, later()), await tokens.seal(value, later())];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[\w.-]+$/);
  expect(await tokens.open(one)).toEqual(value);
  expect(await sealedTokens([secret], "cookie").open(other)).toEqual(value);
});

test("a token's contents cannot be read without the secret [D5]", async () => {
  const token = await sealedTokens([secret], "cookie").seal(value, later());
  const readable = token
    .split(".")
    .map((part) => Buffer.from(part, "base64url").toString("latin1"))
    .join();
  for (const word of ["card", "seti_", "cookie", "rich"]) expect(readable).not.toContain(word);
});

test("a token expires at its time", async () => {
  let now = 1_800_000_000_000;
  const tokens = sealedTokens([secret], "cookie", () => now);
  const token = await tokens.seal(value, now + 60_000);
  now += 59_999;
  expect(await tokens.open(token)).toEqual(value);
  now += 1;
  expect(await tokens.open(token)).toBeUndefined();
});

test("a token opens only up to the requested age, and without an issue time only if no age is requested", async () => {
  let now = 1_800_000_000_000;
  const tokens = sealedTokens([secret], "cookie", () => now);
  const token = await tokens.seal(value, now + 60_000);
  now += 10_000;
  expect(await tokens.open(token, 10_000)).toEqual(value);
  now += 1_000;
  expect(await tokens.open(token, 10_000)).toBeUndefined();
  expect(await tokens.open(token)).toEqual(value);
  expect(await tokens.open(OF_AN_EARLIER_RELEASE)).toEqual({ step: "card" });
  expect(await tokens.open(OF_AN_EARLIER_RELEASE, 10_000)).toBeUndefined();
});

test("a token for another purpose or from another secret does not open", async () => {
  const token = await sealedTokens([secret], "cookie").seal(value, later());
  expect(await sealedTokens([secret], "resume-link").open(token)).toBeUndefined();
  expect(await sealedTokens([`${secret}!`], "cookie").open(token)).toBeUndefined();
});

test("a token with another algorithm or none does not open, whatever key it names [D4]", async () => {
  const tokens = sealedTokens([secret], "cookie");
  const [header = ""] = (await tokens.seal(value, later())).split(".");
  const { kid } = decodeProtectedHeader(`${header}....`);
  const claims = { value, aud: "cookie", exp: Math.ceil(later() / 1000) };
  const key = new TextEncoder().encode(secret);
  const jwk = { kty: "oct", k: Buffer.from(key.slice(0, 32)).toString("base64url") };
  const forged = [
    new UnsecuredJWT(claims).encode(),
    await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(key),
    await new EncryptJWT(claims).setProtectedHeader({ alg: "dir", enc: "A256GCM", kid, jwk }).encrypt(key.slice(0, 32)),
    await new EncryptJWT(claims).setProtectedHeader({ alg: "dir", enc: "A128GCM", kid }).encrypt(key.slice(0, 16)),
    await new EncryptJWT(claims).setProtectedHeader({ alg: "A256KW", enc: "A256GCM", kid }).encrypt(key.slice(0, 32)),
  ];
  for (const token of forged) expect(await tokens.open(token)).toBeUndefined();
});

test("during secret rotation old tokens still open, and the new secret seals new ones [H19]", async () => {
  const next = `${secret}!`;
  const changing = sealedTokens([next, secret], "cookie");
  expect(await changing.open(await sealedTokens([secret], "cookie").seal(value, later()))).toEqual(value);
  const sealed = await changing.seal(value, later());
  expect(await sealedTokens([next], "cookie").open(sealed)).toEqual(value);
  expect(await sealedTokens([secret], "cookie").open(sealed)).toBeUndefined();
});

test("a token with one character changed, added, removed, or with none at all does not open [D4]", async () => {
  const tokens = sealedTokens([secret], "cookie");
  const token = await tokens.seal(value, later());
  for (let index = 0; index < token.length; index++) {
    // The first bit of a character's six: in the last character of a part the last ones may mean nothing.
    const changed = token[index] === "A" ? "g" : "A";
    expect(await tokens.open(token.slice(0, index) + changed + token.slice(index + 1))).toBeUndefined();
  }
  for (const length of [0, 1, 12, 28, token.length - 1]) {
    expect(await tokens.open(token.slice(0, length))).toBeUndefined();
  }
  expect(await tokens.open(`${token}A`)).toBeUndefined();
});

test("a token sealed by an earlier release opens, and its key id depends only on the secret", async () => {
  const tokens = sealedTokens([secret], "cookie", () => 1_800_000_000_000);
  expect(await tokens.open(OF_AN_EARLIER_RELEASE)).toEqual({ step: "card" });
  const { kid } = decodeProtectedHeader(OF_AN_EARLIER_RELEASE);
  expect(decodeProtectedHeader(await tokens.seal(value, later()))).toEqual({ alg: "dir", enc: "A256GCM", kid });
});

test("without a secret nothing is sealed or opened", async () => {
  const tokens = sealedTokens([], "cookie");
  await expect(tokens.seal(value, later())).rejects.toThrow("There is no secret to seal with");
  expect(await tokens.open(await sealedTokens([secret], "cookie").seal(value, later()))).toBeUndefined();
});
