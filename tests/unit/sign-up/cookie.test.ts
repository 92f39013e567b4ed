import { expect, test } from "vitest";
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
const tokenIn = (setCookie: string) => pairOf(setCookie).split("=")[1] ?? "";
const { card } = SESSIONS;

test.each([
  { over: "https", isSecure: true, name: "__Host-signup", attributes: "Path=/; HttpOnly; Secure; SameSite=Lax" },
  { over: "http, locally,", isSecure: false, name: "signup", attributes: "Path=/; HttpOnly; SameSite=Lax" },
])("the session's cookie over $over is this host's and site's only, and is cleared as it was set", async (cookie) => {
  const { write, clear, isIn } = signupSessions([SECRET], cookie.isSecure);
  const written = await write(card);
  expect(written.replace(/=[^;]+/, "=…")).toBe(`${cookie.name}=…; Max-Age=158400; ${cookie.attributes}`);
  expect(clear()).toBe(`${cookie.name}=; Max-Age=0; ${cookie.attributes}`);
  expect([isIn(asking(pairOf(written))), isIn(asking("signup2=1"))]).toEqual([true, false]);
});

test("the session's cookie shows nothing of the sign-up to whoever has it", async () => {
  const parts = tokenIn(await sessions.write(card)).split(".");
  const decoded = parts.map((part) => Buffer.from(part, "base64url").toString("latin1"));
  expect(decoded).toHaveLength(3);
  expect(decoded.join()).not.toMatch(/Engines|example\.com|seti_|secret/i);
});

const early = JSON.stringify({ step: "card", clientSecret: "seti_1_secret_1", key: "a", expiresAt: NOW + HOUR });

test.each<{ name: string; change: (value: string) => string | Promise<string> }>([
  { name: "that was changed", change: (value) => value.replace(/\.(.)/, (_, one) => `.${one === "A" ? "B" : "A"}`) },
  { name: "without a value", change: () => "" },
  { name: "with a broken escape", change: () => "%E0%A4%A" },
  { name: "of an early release", change: () => sealedTokens([SECRET], "cookie").seal(early) },
])("a session's cookie $name is unreadable", async ({ change }) => {
  const value = await change(tokenIn(await sessions.write(card)));
  expect(await sessions.read(asking(`__Host-signup=${value}`))).toEqual({ state: "unreadable" });
});

test("the session's cookie is kept for a day after its sign-up's end, and no longer", async () => {
  const read = async (expiresAt: number) => sessions.read(asking(pairOf(await sessions.write({ ...card, expiresAt }))));
  expect(await read(NOW - 24 * HOUR + 1)).toMatchObject({ state: "card" });
  expect(await read(NOW - 24 * HOUR)).toEqual({ state: "unreadable" });
});

const message = "\u4e00".repeat(300);
const declined: SignupSession = { ...card, flash: "declined", message };
const { details: _, ...rest } = card;
const withAddress = (length: number) => ({ ...card, details: { address: "x".repeat(length) } });

test.each<{ what: string; signUp: SignupSession; kept: object }>([
  { what: "keeps Stripe's message if it fits", signUp: declined, kept: declined },
  {
    what: "leaves out Stripe's message if it does not fit with the details",
    signUp: { ...withAddress(2_300), flash: "declined", message },
    kept: { ...withAddress(2_300), flash: "declined" },
  },
  { what: "leaves out the details if they do not fit alone", signUp: withAddress(3_000), kept: rest },
])("the session's cookie $what", async ({ signUp, kept }) => {
  const cookie = await sessions.write(signUp);
  expect(cookie.length).toBeLessThanOrEqual(4096);
  expect(await sessions.read(asking(pairOf(cookie)))).toEqual(kept);
});

test("the cookie of the longest sign-up fits in the 4,096 bytes that browsers keep", async () => {
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

test("the form's cookie has another nonce each time, for two days, and is set again only if it is malformed", () => {
  const cookie = sessions.newNonce();
  expect(cookie).toMatch(/^__Host-form=[\w-]{22}; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(sessions.newNonce()).not.toBe(cookie);
  expect(sessions.nonceIn(asking(pairOf(cookie)))).toBe(tokenIn(cookie));
  expect(sessions.missingNonce(asking(pairOf(cookie))), "a second cookie").toBeUndefined();
  for (const malformed of ["__Host-form=short", `${pairOf(cookie)}x`]) {
    expect(sessions.nonceIn(asking(malformed)), malformed).toBeUndefined();
    expect(sessions.missingNonce(asking(malformed)), malformed).toMatch(/^__Host-form=/);
  }
});

test("a form's key is short, and differs for another secret, nonce or field, but without a nonce not for a password", async () => {
  const keyOf = idempotencyKeys([SECRET, OLD]);
  const key = await keyOf(validRequest, NONCE);
  expect(key).toMatch(/^[\w-]{16}$/);
  expect(await idempotencyKeys([SECRET])({ ...validRequest }, NONCE)).toBe(key);
  expect(await idempotencyKeys([OLD])(validRequest, NONCE), "another secret").not.toBe(key);
  expect(await keyOf(validRequest, `${NONCE.slice(1)}x`), "another nonce").not.toBe(key);
  const without = await keyOf(validRequest, undefined);
  for (const [name, value] of Object.entries(validRequest)) {
    const other = { ...validRequest, [name]: `${value} ` };
    expect(await keyOf(other, NONCE), name).not.toBe(key);
    expect((await keyOf(other, undefined)) === without, `${name}, without a nonce`).toBe(name === "password");
  }
});

test("a token is sealed with the first secret, opens with each in turn, and not with whitespace in it", async () => {
  const [both, old, first] = [[SECRET, OLD], [OLD], [SECRET]].map((secrets) => sealedTokens(secrets, "return"));
  const token = (await both?.seal("text")) ?? "";
  expect(await both?.open((await old?.seal("text")) ?? "")).toBe("text");
  expect(await first?.open(token)).toBe("text");
  expect(await first?.open(`${token.slice(0, 20)}\n${token.slice(20)}`)).toBeUndefined();
});

const { sessions: own, resumeLinks } = siteContext();
const opens = {
  "in the cookie": async (token: string) => (await own.read(asking(`__Host-signup=${token}`))).state !== "unreadable",
  "as a return": async (token: string) => (await own.fromReturnToken(token)) !== undefined,
  "as a link": async (token: string) => (await resumeLinks.fromToken(token, PLAN)) !== undefined,
};

test.each<{ token: keyof typeof opens; made: () => Promise<string | undefined> }>([
  { token: "in the cookie", made: async () => tokenIn(await own.write(card)) },
  { token: "as a return", made: () => own.toReturnToken(card) },
  { token: "as a link", made: () => resumeLinks.toToken(card) },
])("a token that was made to open $token opens nowhere else", async ({ token, made }) => {
  const sealed = (await made()) ?? "";
  for (const [place, open] of Object.entries(opens)) expect(await open(sealed), place).toBe(place === token);
});

test("a return's token has no personal data, fits in Stripe's return_url, and opens for a day after its end", async () => {
  const long = { ...card, clientSecret: "x".repeat(300), statusUrl: "y".repeat(300), expiresAt: NOW - 24 * HOUR + 1 };
  const token = await own.toReturnToken(long);
  expect(token.length).toBeLessThan(1500);
  const { details: _, state: __, ...kept } = long;
  expect(await own.fromReturnToken(token)).toEqual(kept);
  expect(await own.fromReturnToken(await own.toReturnToken({ ...long, expiresAt: NOW - 24 * HOUR }))).toBeUndefined();
});
