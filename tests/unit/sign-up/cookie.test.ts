import { describe, expect, test } from "vitest";
import { idempotencyKeys } from "../../../app/signup/server/form/idempotency-key.server";
import { sealedTokens } from "../../../app/signup/server/session/sealed-token.server";
import { signupSessions } from "../../../app/signup/server/session/session.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields, validRequest } from "../../support/person";
import { post, siteContext } from "../../support/site-in-process/site-context";
import { PLAN, SITE_URL } from "../../support/site-in-process/site-settings";
import { NONCE } from "../../support/visitors/site-visitor";
import { SESSIONS } from "./sessions";

/* A browser's two cookies, link tokens and a form's key: their format, and where each is accepted. */

stopClock();

const [SECRET, OLD] = ["a-secret-of-at-least-thirty-two-characters", "an-old-secret-of-at-least-32-characters"];
const sessions = signupSessions([SECRET], true);
const asking = (cookie: string) => new Request(SITE_URL, { headers: { Cookie: cookie } });
const pairOf = (setCookie: string) => setCookie.split(";")[0] ?? "";
const { card } = SESSIONS;

describe("the session's cookie", () => {
  test("over https is Secure and HttpOnly, of this host and site only", async () => {
    const attributes = (await sessions.write(card)).replace(/=[^;]+/, "=…");
    expect(attributes).toBe("__Host-signup=…; Max-Age=158400; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test("over http, locally, has neither Secure nor the prefix", async () => {
    const attributes = (await signupSessions([SECRET], false).write(card)).replace(/=[^;]+/, "=…");
    expect(attributes).toBe("signup=…; Max-Age=158400; Path=/; HttpOnly; SameSite=Lax");
  });

  test("is cleared with the attributes that it has", () => {
    expect(sessions.clear()).toBe("__Host-signup=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test("is found by its name", () => {
    expect(sessions.isIn(asking("__Host-signup=1"))).toBe(true);
    expect(sessions.isIn(asking("signup2=1"))).toBe(false);
  });

  test("shows nothing of the sign-up to whoever has it", async () => {
    const parts = pairOf(await sessions.write(card)).split(/[=.]/);
    const decoded = parts.map((part) => Buffer.from(part, "base64url").toString("latin1"));
    expect(decoded.join()).not.toMatch(/Engines|example\.com|seti_|secret/i);
  });

  test.each([1, 2, 3])("is unreadable after a change of its part %i", async (changed) => {
    const parts = pairOf(await sessions.write(card)).split(/(?<=[=.])/);
    const cookie = parts.map((part, nth) =>
      nth === changed ? (part.startsWith("A") ? "B" : "A") + part.slice(1) : part,
    );
    expect(await sessions.read(asking(cookie.join("")))).toEqual({ state: "unreadable" });
  });

  test.each(["", "x", "%E0%A4%A", "..", "a.b.c", "x".repeat(10_000)])(
    "is unreadable if it is malformed: %.12s",
    async (value) => {
      expect(await sessions.read(asking(`__Host-signup=${value}`))).toEqual({ state: "unreadable" });
    },
  );

  test("is unreadable if an early release made it", async () => {
    const early = { step: "card", clientSecret: "seti_1_secret_1", key: "a", expiresAt: NOW + HOUR };
    const sealed = await sealedTokens([SECRET], "cookie").seal(JSON.stringify(early));
    expect(await sessions.read(asking(`__Host-signup=${sealed}`))).toEqual({ state: "unreadable" });
  });

  test("is kept for a day after its sign-up's end, and no longer", async () => {
    const read = async (expiresAt: number) =>
      sessions.read(asking(pairOf(await sessions.write({ ...card, expiresAt }))));
    expect(await read(NOW - 24 * HOUR + 1)).toMatchObject({ state: "card" });
    expect(await read(NOW - 24 * HOUR)).toEqual({ state: "unreadable" });
  });

  const long = { ...card, details: { ...card.details, address: "x".repeat(2_000) } };
  const kept = async (signUp: SignupSession) => {
    const cookie = await sessions.write(signUp);
    expect(cookie.length, "length of the cookie").toBeLessThanOrEqual(4096);
    return sessions.read(asking(pairOf(cookie)));
  };

  test("leaves out Stripe's message if it does not fit with the details", async () => {
    const message = "\u4e00".repeat(300);
    const read = await kept({ ...long, flash: "declined", message });
    expect(read).not.toHaveProperty("message");
    expect(read).toHaveProperty("details.address.length", 2_000);
  });

  test("keeps Stripe's message if it fits", async () => {
    const declined = { ...card, flash: "declined" as const, message: "\u4e00".repeat(300) };
    expect(await kept(declined)).toEqual(declined);
  });

  test("leaves out the details if they do not fit", async () => {
    const { details: _, ...rest } = card;
    expect(await kept({ ...card, details: { address: "x".repeat(3_000) } })).toEqual(rest);
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

describe("the form's cookie", () => {
  const cookie = sessions.newNonce();

  test("has a nonce for two days, with the session's attributes", () => {
    expect(cookie).toMatch(/^__Host-form=[\w-]{22}; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  test("has another nonce each time", () => {
    expect(sessions.newNonce()).not.toBe(cookie);
  });

  test("is read and not set again", () => {
    expect(sessions.nonceIn(asking(pairOf(cookie)))).toBe(pairOf(cookie).slice("__Host-form=".length));
    expect(sessions.missingNonce(asking(pairOf(cookie))), "a second cookie").toBeUndefined();
  });

  test.each(["__Host-form=short", `${pairOf(cookie)}x`, "a=1"])(
    "is given anew if it is missing or malformed: %s",
    (sent) => {
      expect(sessions.nonceIn(asking(sent))).toBeUndefined();
      expect(sessions.missingNonce(asking(sent))).toMatch(/^__Host-form=/);
    },
  );
});

describe("a form's key", () => {
  const keyOf = idempotencyKeys([SECRET, OLD]);
  const FIELDS = Object.entries(validRequest).map(([name, value]) => ({ name, changed: `${value} ` }));

  test("is short, and the same for an equal form", async () => {
    const key = await keyOf(validRequest, NONCE);
    expect(key).toMatch(/^[\w-]{16}$/);
    expect(await idempotencyKeys([SECRET])({ ...validRequest }, NONCE)).toBe(key);
  });

  test("differs for another nonce", async () => {
    expect(await keyOf(validRequest, `${NONCE.slice(1)}x`)).not.toBe(await keyOf(validRequest, NONCE));
  });

  test("differs for another secret", async () => {
    expect(await idempotencyKeys([OLD])(validRequest, NONCE)).not.toBe(await keyOf(validRequest, NONCE));
  });

  test.each(FIELDS)("differs after a change of $name", async ({ name, changed }) => {
    expect(await keyOf({ ...validRequest, [name]: changed }, NONCE)).not.toBe(await keyOf(validRequest, NONCE));
  });

  test("without a nonce differs for another form", async () => {
    const another = { ...validRequest, email: "grace@example.com" };
    expect(await keyOf(another, undefined)).not.toBe(await keyOf(validRequest, undefined));
  });

  test("without a nonce reveals nothing about the password", async () => {
    const changed = { ...validRequest, password: "An0ther one!" };
    expect(await keyOf(changed, undefined)).toBe(await keyOf(validRequest, undefined));
  });
});

describe("a sealed token", () => {
  test("opens with each of the secrets in turn, and is sealed with the first", async () => {
    const [both, old, first] = [[SECRET, OLD], [OLD], [SECRET]].map((secrets) => sealedTokens(secrets, "return"));
    expect(await both?.open((await old?.seal("text")) ?? "")).toBe("text");
    expect(await first?.open((await both?.seal("text")) ?? "")).toBe("text");
  });

  const { sessions: own, resumeLinks } = siteContext();
  const opens = {
    "in the cookie": async (token: string) => (await own.read(asking(`__Host-signup=${token}`))).state !== "unreadable",
    "as a return": async (token: string) => (await own.fromReturnToken(token)) !== undefined,
    "as a link": async (token: string) => (await resumeLinks.fromToken(token, PLAN)) !== undefined,
  };

  test.each<{ token: keyof typeof opens; made: () => Promise<string | undefined> }>([
    { token: "in the cookie", made: async () => pairOf(await own.write(card)).split("=")[1] },
    { token: "as a return", made: () => own.toReturnToken(card) },
    { token: "as a link", made: () => resumeLinks.toToken(card) },
  ])("that was made to open $token opens nowhere else", async ({ token, made }) => {
    const sealed = (await made()) ?? "";
    for (const [place, open] of Object.entries(opens)) expect(await open(sealed), place).toBe(place === token);
  });

  test.each(["\n", "\f", " ", "\t", "\r\n"])("with whitespace in it does not open: %j", async (space) => {
    const tokens = sealedTokens([SECRET], "return");
    const sealed = await tokens.seal("text");
    expect(await tokens.open(sealed.slice(0, 20) + space + sealed.slice(20))).toBeUndefined();
  });

  test.each(["", ".", "..", "a.b", "a.b.c.d"])("that does not have three parts does not open: %j", async (token) => {
    expect(await sealedTokens([SECRET], "return").open(token)).toBeUndefined();
  });

  test("for a return has no personal data, and fits in Stripe's return_url", async () => {
    const { sessions } = siteContext();
    const long = { ...card, clientSecret: "x".repeat(300), statusUrl: "y".repeat(300) };
    const token = await sessions.toReturnToken(long);
    expect(token.length).toBeLessThan(1500);
    expect(await sessions.fromReturnToken(token)).not.toHaveProperty("details");
  });
});
