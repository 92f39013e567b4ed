import { describe, expect, test } from "vitest";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import { sealedTokens } from "../../../app/signup/server/sealed-token.server";
import { signupSessions } from "../../../app/signup/server/session.server";
import type { SignUp } from "../../../app/signup/sign-up-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields, validRequest } from "../../support/person";
import { post, siteContext } from "../../support/site-in-process/site-context";
import { PLAN, SITE_URL } from "../../support/site-in-process/site-settings";
import { NONCE } from "../../support/visitors/site-visitor";
import { SESSIONS } from "./sessions";

/* A browser's two cookies, the tokens of links, and a form's key: what they look like, and which of them opens where. */

stopClock();

const [SECRET, OLD] = ["a-secret-of-at-least-thirty-two-characters", "an-old-secret-of-at-least-32-characters"];
const sessions = signupSessions([SECRET], true);
const asking = (cookie: string) => new Request(SITE_URL, { headers: { Cookie: cookie } });
const pairOf = (setCookie: string) => setCookie.split(";")[0] ?? "";
const { card } = SESSIONS;

describe("the session's cookie", () => {
  test("is HttpOnly, SameSite=Lax and of the whole site, over https also Secure with the __Host- prefix", async () => {
    const attributes = async (secure: boolean) =>
      (await signupSessions([SECRET], secure).write(card)).replace(/=[^;]+/, "=…");
    expect(await attributes(true)).toBe("__Host-signup=…; Max-Age=158400; Path=/; HttpOnly; Secure; SameSite=Lax");
    expect(await attributes(false)).toBe("signup=…; Max-Age=158400; Path=/; HttpOnly; SameSite=Lax");
    expect([sessions.isIn(asking("__Host-signup=1")), sessions.isIn(asking("signup2=1"))]).toEqual([true, false]);
    expect(sessions.clear()).toBe("__Host-signup=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test("shows nothing of the sign-up to whoever has it, and is refused after a change of any part", async () => {
    const cookie = pairOf(await sessions.write(card));
    const parts = cookie.split(/(?<=[=.])/);
    const decoded = parts.map((part) => Buffer.from(part, "base64url").toString("latin1"));
    expect(decoded.join()).not.toMatch(/Engines|example\.com|seti_|secret/i);
    for (const part of parts.slice(1)) {
      const changed = cookie.replace(part, (part.startsWith("A") ? "B" : "A") + part.slice(1));
      expect(await sessions.read(asking(changed))).toEqual({ state: "unreadable" });
    }
  });

  test("is unreadable if it is malformed or of an earlier release", async () => {
    const old = { step: "card", clientSecret: "seti_1_secret_1", key: "a", expiresAt: NOW + HOUR };
    const sealed = await sealedTokens([SECRET], "cookie").seal(JSON.stringify(old));
    for (const value of ["", "x", "%E0%A4%A", "..", "a.b.c", "x".repeat(10_000), sealed])
      expect([value, await sessions.read(asking(`__Host-signup=${value}`))]).toEqual([value, { state: "unreadable" }]);
  });

  test("is kept for a day after its sign-up's end, and no longer", async () => {
    const read = async (expiresAt: number) =>
      sessions.read(asking(pairOf(await sessions.write({ ...card, expiresAt }))));
    expect(await read(NOW - 24 * HOUR + 1)).toMatchObject({ state: "card" });
    expect(await read(NOW - 24 * HOUR)).toEqual({ state: "unreadable" });
  });

  const long = { ...card, details: { ...card.details, address: "x".repeat(2_000) } };
  const kept = async (signUp: SignUp) => {
    const cookie = await sessions.write(signUp);
    expect(cookie.length, "length of the cookie").toBeLessThanOrEqual(4096);
    return sessions.read(asking(pairOf(cookie)));
  };

  test("leaves out Stripe's words if they do not fit beside the details", async () => {
    const message = "\u4e00".repeat(300);
    const read = await kept({ ...long, flash: "declined", message });
    expect(read).not.toHaveProperty("message");
    expect(read).toHaveProperty("details.address.length", 2_000);
  });

  test("keeps Stripe's words if they fit", async () => {
    const declined = { ...card, flash: "declined" as const, message: "\u4e00".repeat(300) };
    expect(await kept(declined)).toEqual(declined);
  });

  test("leaves out the details if they do not fit", async () => {
    const { details: _, ...rest } = card;
    expect(await kept({ ...card, details: { address: "x".repeat(3_000) } })).toEqual(rest);
  });

  test.each([
    { state: SESSIONS.waiting, required: { checks: 1 } },
    { state: SESSIONS.canceled, required: { clientSecret: "" } },
    { state: SESSIONS.done, required: { setupIntentId: "" } },
  ])("has what the release before requires, for a rollback: $required", async ({ state, required }) => {
    const sealed = pairOf(await sessions.write(state)).split("=")[1] ?? "";
    const text = (await sealedTokens([SECRET], "cookie").open(sealed)) ?? "";
    expect(JSON.parse(text)).toMatchObject(required);
  });

  test("of an ended sign-up keeps no client secret", async () => {
    const sealed = pairOf(await sessions.write(SESSIONS.canceled)).split("=")[1] ?? "";
    expect(await sealedTokens([SECRET], "cookie").open(sealed)).not.toContain("seti_");
  });

  test("of the longest sign-up fits in the 4,096 bytes that browsers keep", async () => {
    const site = siteContext();
    const long = (length: number) => "\u4e00".repeat(length);
    const email = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.de`;
    const client_secret = `seti_${"1".repeat(30)}_secret_${"2".repeat(257)}`;
    site.api.answer = () => Response.json({ client_secret, status_url: `https://api.site.example/${"s".repeat(275)}` });
    const names = { full_name: long(100), company_name: long(100), email, phone: "123456789012345" };
    const places = { address: long(150), city: long(80), state: long(80), zipCode: "62701-1234", country: long(60) };
    const { headers, session } = await post(site, { ...fields, ...names, ...places });
    expect(session).toMatchObject({ state: "card", packageId: PLAN, details: { ...names, ...places } });
    expect(headers.get("Set-Cookie")?.length).toBeLessThanOrEqual(4096);
  });
});

test("the form's cookie has a random nonce for two days, and is given anew if it is missing or malformed", () => {
  const [one, two] = [sessions.newNonce(), sessions.newNonce()];
  expect(one).toMatch(/^__Host-form=[\w-]{22}; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(two).not.toBe(one);
  for (const [cookie, nonce] of [pairOf(one), "__Host-form=short", `${pairOf(one)}x`, "a=1"].map((cookie, nth) => {
    return [asking(cookie), nth === 0 ? pairOf(one).slice(12) : undefined] as const;
  }))
    expect([sessions.nonceIn(cookie), sessions.missingNonce(cookie) === undefined]).toEqual([
      nonce,
      nonce !== undefined,
    ]);
});

test("a form's key is the same for an equal form, and another after a change of a field, the nonce or the secret", async () => {
  const keyOf = idempotencyKeys([SECRET, OLD]);
  const [key, withoutNonce] = [await keyOf(validRequest, NONCE), await keyOf(validRequest, undefined)];
  expect(key).toMatch(/^[\w-]{16}$/);
  expect(await idempotencyKeys([SECRET])({ ...validRequest }, NONCE)).toBe(key);
  expect(await keyOf(validRequest, `${NONCE.slice(1)}x`)).not.toBe(key);
  expect(await idempotencyKeys([OLD])(validRequest, NONCE)).not.toBe(key);
  for (const [name, value] of Object.entries(validRequest)) {
    const changed = { ...validRequest, [name]: `${value} ` };
    expect([name, await keyOf(changed, NONCE)]).not.toEqual([name, key]);
    // Without a nonce a key would tell something about the password.
    expect([name, (await keyOf(changed, undefined)) === withoutNonce]).toEqual([name, name === "password"]);
  }
});

describe("a sealed token", () => {
  test("opens with each of the secrets in turn, and is sealed with the first", async () => {
    const [both, old, first] = [[SECRET, OLD], [OLD], [SECRET]].map((secrets) => sealedTokens(secrets, "return"));
    expect(await both?.open((await old?.seal("text")) ?? "")).toBe("text");
    expect(await first?.open((await both?.seal("text")) ?? "")).toBe("text");
  });

  test("opens only where it belongs", async () => {
    const { sessions, resumeLinks } = siteContext();
    const cookie = pairOf(await sessions.write(card)).split("=")[1] ?? "";
    const tokens = [cookie, await sessions.toReturnToken(card), (await resumeLinks.toToken(card)) ?? ""];
    for (const [nth, token] of tokens.entries()) {
      const inCookie = (await sessions.read(asking(`__Host-signup=${token}`))).state !== "unreadable";
      const returned = (await sessions.fromReturnToken(token)) !== undefined;
      const linked = (await resumeLinks.fromToken(token, PLAN)) !== undefined;
      expect([inCookie, returned, linked]).toEqual([nth === 0, nth === 1, nth === 2]);
    }
  });

  test("for a return has no personal data, and fits in Stripe's return_url", async () => {
    const { sessions } = siteContext();
    const long = { ...card, clientSecret: "x".repeat(300), statusUrl: "y".repeat(300) };
    const token = await sessions.toReturnToken(long);
    expect(token.length).toBeLessThan(1500);
    expect(await sessions.fromReturnToken(token)).not.toHaveProperty("details");
  });
});
