import { expect, test } from "vitest";
import { sealedTokens } from "../../../../app/signup/server/session/sealed-token.server";
import { backAtForm, newLifetime, renewed, signupSessions } from "../../../../app/signup/server/session/session.server";
import type { CardSession, SignupSession } from "../../../../app/signup/steps";

const secret = "a-secret-of-at-least-thirty-two-characters";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGINNING = 1_800_000_000_000;

const STATUS_URL = "https://api.example/subscription/status/a-token";

const wide = (length: number) => "\u6f22".repeat(length);

const largest: CardSession = {
  step: "card",
  ...newLifetime(BEGINNING),
  key: "k".repeat(43),
  clientSecret: `seti_${"1".repeat(24)}_secret_${"s".repeat(30)}`,
  account: {
    companyName: wide(100),
    fullName: wide(100),
    email: `${"e".repeat(242)}@example.com`,
    phone: "1".repeat(15),
    packageId: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
  },
  address: { line1: wide(150), city: wide(80), state: wide(80), postalCode: "12345-6789", country: wide(60) },
};

/** Sessions on a clock that moves on. */
function timed() {
  let now = BEGINNING;
  const sessions = signupSessions([secret], true, () => now);
  return {
    ...sessions,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    renewed: <Session extends SignupSession>(session: Session) => renewed(session, now),
    async readAs(cookie: string) {
      return sessions.read(new Request("https://example.com", { headers: { Cookie: cookie.split(";")[0] ?? "" } }));
    },
  };
}

test("the largest session fits into a cookie and is encrypted [D5]", async () => {
  const sessions = timed();
  const cookie = await sessions.write(largest);
  expect(cookie.length).toBeLessThanOrEqual(4096);
  expect(cookie).toMatch(/^__Host-signup=/);
  for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute);
  expect(cookie).not.toContain("seti_");
  expect(await sessions.readAs(cookie)).toEqual({ status: "open", session: largest });
});

test("a session with the longest client secret drops the address to fit into its cookie [H16]", async () => {
  const sessions = timed();
  const clientSecret = "s".repeat(1000);
  const cookie = await sessions.write({ ...largest, clientSecret });
  expect(cookie.length).toBeLessThanOrEqual(4096);
  const found = await sessions.readAs(cookie);
  expect(found).toMatchObject({ status: "open", session: { clientSecret, account: largest.account } });
  expect(found).not.toHaveProperty("session.address.line1");
});

test("two of the largest sign-ups fit into one cookie without their addresses [S18, D5]", async () => {
  const sessions = timed();
  const { step: _, ...other } = { ...largest, key: "o".repeat(43), statusUrl: STATUS_URL };
  const cookie = await sessions.write({ ...largest, statusUrl: STATUS_URL, other });
  expect(cookie.length).toBeLessThanOrEqual(4096);
  const found = await sessions.readAs(cookie);
  expect(found).toMatchObject({
    status: "open",
    session: { key: largest.key, account: largest.account, other: { key: other.key, account: other.account } },
  });
});

test("a card step expires after two hours and still returns the typed values [S29, S31]", async () => {
  const sessions = timed();
  const cookie = await sessions.write(largest);
  sessions.wait(2 * HOUR - 1);
  expect(await sessions.readAs(cookie)).toMatchObject({ status: "open" });
  sessions.wait(1);
  expect(await sessions.readAs(cookie)).toEqual({ status: "expired", session: largest });
});

test("a card step can be extended repeatedly, but never past 24 hours, whatever cookie is sent [S30, H15]", async () => {
  const sessions = timed();
  const first = await sessions.write(largest);
  let session: CardSession = largest;
  for (let hour = 0; hour < 23; hour += 1) {
    sessions.wait(HOUR);
    session = sessions.renewed(session);
    expect(session.endsAt).toBe(largest.endsAt);
  }
  expect(session.expiresAt).toBe(largest.endsAt);
  const last = await sessions.write(session);
  sessions.wait(HOUR - MINUTE);
  expect(await sessions.readAs(last)).toMatchObject({ status: "open" });
  expect(await sessions.readAs(first)).toMatchObject({ status: "expired" });
  sessions.wait(MINUTE);
  for (const cookie of [first, last]) expect(await sessions.readAs(cookie)).toEqual({ status: "unreadable" });
});

test("a finished or edited session expires no earlier than its sign-up [S30]", async () => {
  const sessions = timed();
  const editing = await sessions.write({ ...largest, editing: true });
  const { expiresAt, endsAt, key, account } = largest;
  const setUp = { setupIntentId: "seti_1", startedAt: "2026-11-22T10:00:00.000Z" };
  const done = await sessions.write({ step: "done", expiresAt, endsAt, key, account, ...setUp });
  sessions.wait(23 * HOUR);
  for (const cookie of [editing, done]) expect(await sessions.readAs(cookie)).toMatchObject({ status: "open" });
});

test("a resume link works for 30 minutes, and never past the end of its sign-up [H15]", async () => {
  const sessions = timed();
  const early = await sessions.toLinkToken(largest);
  sessions.wait(30 * MINUTE - 1);
  expect(await sessions.fromLinkToken(early)).toEqual(largest);
  sessions.wait(1);
  expect(await sessions.fromLinkToken(early)).toBeUndefined();
  sessions.wait(23 * HOUR + 20 * MINUTE);
  const late = await sessions.toLinkToken(largest);
  sessions.wait(9 * MINUTE);
  expect(await sessions.fromLinkToken(late)).toEqual(largest);
  sessions.wait(MINUTE);
  expect(await sessions.fromLinkToken(late)).toBeUndefined();
});

test("a resume link carries the sign-up only: no check count, no flash message", async () => {
  const sessions = timed();
  const signUp = { ...largest, statusUrl: STATUS_URL };
  const token = await sessions.toLinkToken({ ...signUp, flash: { saved: true }, checks: 3, resumed: true });
  expect(await sessions.fromLinkToken(token)).toEqual(signUp);
});

test("a return token restores the sign-up until it expires, and leaves the account out when it would be too long", async () => {
  const sessions = timed();
  const { address: _, account: __, ...rest } = largest;
  const account = { companyName: "Engines & Sons", fullName: "Ada Lovelace", email: "ada@example.com", phone: "1" };
  const whole = await sessions.toReturnToken({ ...largest, account, statusUrl: STATUS_URL });
  expect(await sessions.fromReturnToken(whole)).toEqual({ ...rest, account, statusUrl: STATUS_URL });
  const token = await sessions.toReturnToken(largest);
  expect(token.length).toBeLessThanOrEqual(1500);
  expect(await sessions.fromReturnToken(token)).toEqual(rest);
  expect(await sessions.fromLinkToken(token)).toBeUndefined();
  sessions.wait(24 * HOUR);
  expect(await sessions.fromReturnToken(token)).toBeUndefined();
});

test("the address stays in a cookie of 4,096 bytes and is left out of one byte more", async () => {
  const sessions = timed();
  let longest = 0;
  for (let length = 50; length < 1_000; length += 1) {
    const cookie = await sessions.write({ ...largest, clientSecret: "s".repeat(length) });
    const found = await sessions.readAs(cookie);
    if (!("session" in found && "address" in found.session)) break;
    longest = cookie.length;
  }
  expect(longest).toBe(4_096);
});

test("the account stays in a return token of 1,500 characters and is left out of one character more", async () => {
  const sessions = timed();
  let longest = 0;
  for (let length = 0; length < 400; length += 1) {
    const account = { companyName: "c".repeat(400 + length), fullName: "Ada", email: "ada@example.com", phone: "1" };
    const token = await sessions.toReturnToken({ ...largest, account });
    if ((await sessions.fromReturnToken(token))?.account === undefined) break;
    longest = token.length;
  }
  expect(longest).toBe(1_500);
});

test("a success too long for its cookie is stored unchanged", async () => {
  const sessions = timed();
  const { expiresAt, endsAt, key, account } = largest;
  const startedAt = "x".repeat(3_000);
  const done: SignupSession = { step: "done", expiresAt, endsAt, key, account, setupIntentId: "seti_1", startedAt };
  expect(await sessions.readAs(await sessions.write(done))).toEqual({ status: "open", session: done });
});

test("a new sign-up lasts two hours, extendable to 24 hours, both from now", () => {
  expect(newLifetime(BEGINNING)).toEqual({ expiresAt: BEGINNING + 2 * HOUR, endsAt: BEGINNING + 24 * HOUR });
  const session = { ...largest, endsAt: BEGINNING + 3 * HOUR };
  expect(renewed(session, BEGINNING + HOUR)).toEqual({ ...session, expiresAt: BEGINNING + 3 * HOUR });
  expect(renewed(session, BEGINNING + HOUR - 1)).toEqual({ ...session, expiresAt: BEGINNING + 3 * HOUR - 1 });
  expect(renewed(session, BEGINNING + 2 * HOUR)).toEqual({ ...session, expiresAt: BEGINNING + 3 * HOUR });
});

test("going back to the form clears the state of the card step", () => {
  const waiting: CardSession = { ...largest, flash: { saved: true }, checks: 2, waitsFor: "processing", resumed: true };
  expect(backAtForm(waiting)).toStrictEqual({ ...largest, resumed: true, editing: true });
});

test("over http the cookie has no __Host- prefix, http and https cookies are not mixed up, and each lasts a day longer to report the expiry [D5, S31]", async () => {
  const plain = signupSessions([secret], false, () => BEGINNING);
  const secure = signupSessions([secret], true, () => BEGINNING);
  const [cookie, secureCookie] = [await plain.write(largest), await secure.write(largest)];
  expect(cookie).toMatch(/^signup=[\w.-]+; Max-Age=172800; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(secureCookie).toMatch(/^__Host-signup=[\w.-]+; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(plain.clear()).toBe("signup=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  expect(secure.clear()).toBe("__Host-signup=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
  const request = (Cookie?: string) =>
    new Request("https://example.com", Cookie === undefined ? {} : { headers: { Cookie } });
  expect((await plain.read(request(cookie.split(";")[0]))).status).toBe("open");
  expect((await secure.read(request(cookie.split(";")[0]))).status).toBe("none");
  expect((await plain.read(request(secureCookie.split(";")[0]))).status).toBe("none");
  expect(await secure.read(request())).toEqual({ status: "none" });
  expect([secure.isIn(request()), secure.isIn(request("a=b")), secure.isIn(request(secureCookie))]).toEqual([
    false,
    false,
    true,
  ]);
});

test("a sealed token works only for its purpose, and a resume link or return token only for a card step", async () => {
  const sessions = timed();
  const { expiresAt, endsAt, key } = largest;
  const done: SignupSession = { step: "done", expiresAt, endsAt, key, setupIntentId: "seti_1", startedAt: "x" };
  const cookie = (await sessions.write(largest)).split(";")[0]?.split("=")[1] ?? "";
  const [link, way] = [await sessions.toLinkToken(largest), await sessions.toReturnToken(largest)];
  expect(await sessions.fromLinkToken(cookie)).toBeUndefined();
  expect(await sessions.fromLinkToken(way)).toBeUndefined();
  expect(await sessions.fromReturnToken(cookie)).toBeUndefined();
  expect(await sessions.fromReturnToken(link)).toBeUndefined();
  for (const token of [link, way]) {
    expect(await sessions.readAs(`__Host-signup=${token}`)).toEqual({ status: "unreadable" });
  }
  const tokens = { link: sealedTokens([secret], "resume-link"), way: sealedTokens([secret], "return") };
  const live = signupSessions([secret], true);
  const end = Date.now() + HOUR;
  expect(await live.fromLinkToken(await tokens.link.seal(largest, end))).toEqual(largest);
  expect(await live.fromLinkToken(await tokens.link.seal(done, end))).toBeUndefined();
  expect(await live.fromReturnToken(await tokens.way.seal(done, end))).toBeUndefined();
  expect(await live.fromReturnToken(await tokens.way.seal({ step: "card" }, end))).toBeUndefined();
});
