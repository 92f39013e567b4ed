import { parseCookie } from "cookie";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sealedTokens } from "../../../app/signup/server/sealed-token.server";
import { signupSessions } from "../../../app/signup/server/session.server";
import {
  HOUR,
  look,
  NOW,
  PLAN,
  post,
  SESSIONS,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* The two cookies of a browser, and the tokens of links: what they look like, and which of them opens where. */

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
    expect(sessions.clear()).toBe("__Host-signup=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test.each(Object.entries(SESSIONS))("opens as it was written: %s", async (_, session) => {
    const cookie = pairOf(await sessions.write(session));
    expect(await sessions.read(asking(cookie))).toEqual(session);
    expect([sessions.isIn(asking(cookie)), sessions.isIn(asking("a=1"))]).toEqual([true, false]);
  });

  test("shows nothing of the sign-up to whoever has it", async () => {
    const cookie = pairOf(await sessions.write(card));
    for (const part of cookie.split(/[.=]/))
      expect(Buffer.from(part, "base64url").toString("latin1")).not.toMatch(/ada|Engines|seti_|secret/i);
  });

  test("is refused after a change of any character", async () => {
    const cookie = pairOf(await sessions.write(card));
    const start = cookie.indexOf("=") + 1;
    const bytesOf = (text: string) =>
      text
        .slice(start)
        .split(".")
        .map((part) => Buffer.from(part, "base64url").toString("hex"))
        .join(".");
    const change = fc.tuple(fc.integer({ min: start, max: cookie.length - 1 }), fc.constantFrom(..."Aa0-_."));
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = cookie.slice(0, at) + character + cookie.slice(at + 1);
        // The last character of a part has bits that nothing decodes.
        fc.pre(bytesOf(changed) !== bytesOf(cookie));
        expect(await sessions.read(asking(changed))).toBe("unreadable");
      }),
      { numRuns: 300, seed: 2026 },
    );
  });

  test.each(["", "x", "%E0%A4%A", "%", "=;;", "..", "a.b.c", "x".repeat(10_000)])(
    "that is none leads to the form, and is cleared: %s",
    async (value) => {
      const { step, session } = await look(siteContext(), { headers: { Cookie: `__Host-signup=${value}` } });
      expect([step?.step, session]).toEqual(["form", "cleared"]);
    },
  );

  test("of the earlier release's shape ends with a clear word", async () => {
    const old = { step: "card", clientSecret: "seti_1_secret_1", key: "a", expiresAt: NOW + HOUR, endsAt: NOW + HOUR };
    const cookie = await sealedTokens([SECRET], "cookie").seal(JSON.stringify(old));
    const { step } = await look(siteContext(), { headers: { Cookie: `__Host-signup=${cookie}` } });
    expect(step).toMatchObject({ step: "form", ended: { title: "Your sign-up could not be opened" } });
  });

  test("is kept for a day after its sign-up's end, and no longer", async () => {
    const read = async (expiresAt: number) =>
      sessions.read(asking(pairOf(await sessions.write({ ...card, expiresAt }))));
    expect(await read(NOW - 24 * HOUR + 1)).toMatchObject({ state: "card" });
    expect(await read(NOW - 24 * HOUR)).toBe("unreadable");
  });

  test("of the longest sign-up fits in the 4,096 bytes that browsers keep", async () => {
    const site = siteContext();
    const long = (length: number) => "\u4e00".repeat(length);
    const email = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.de`;
    site.api.answer = () =>
      Response.json({
        client_secret: `seti_${"1".repeat(30)}_secret_${"2".repeat(257)}`,
        status_url: `https://api.site.example/${"s".repeat(275)}`,
      });
    const names = { full_name: long(100), company_name: long(100), email, phone: "123456789012345" };
    const places = { address: long(150), city: long(80), state: long(80), zipCode: "62701-1234", country: long(60) };
    const { headers, session, reply } = await post(site, { ...fields, ...names, ...places });
    expect([reply, session]).toEqual([undefined, expect.objectContaining({ state: "card", packageId: PLAN })]);
    expect(headers.get("Set-Cookie")?.length).toBeLessThanOrEqual(4096);
  });
});

describe("the form's cookie", () => {
  test("has a random nonce for two days, and is given to a browser without one", () => {
    const [one, two] = [sessions.newNonce(), sessions.newNonce()];
    expect(one).toMatch(/^__Host-form=[\w-]{22}; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(two).not.toBe(one);
    expect(sessions.nonceIn(asking(pairOf(one)))).toBe(parseCookie(pairOf(one))["__Host-form"]);
    expect(sessions.missingNonce(asking(pairOf(one)))).toBeUndefined();
    expect(sessions.missingNonce(asking("a=1"))).toMatch(/^__Host-form=/);
  });

  test.each(["", "short", "x".repeat(23), "with a space in it 123"])(
    "is given anew if it is malformed: %s",
    (value) => {
      const request = asking(`__Host-form=${value}`);
      expect([sessions.nonceIn(request), sessions.missingNonce(request)]).toEqual([undefined, expect.any(String)]);
    },
  );
});

describe("a sealed token", () => {
  test("opens with each of the secrets in turn, and is sealed with the first", async () => {
    const [both, old, first] = [[SECRET, OLD], [OLD], [SECRET]].map((secrets) => sealedTokens(secrets, "return"));
    expect(await both?.open((await old?.seal("text")) ?? "")).toBe("text");
    expect(await first?.open((await both?.seal("text")) ?? "")).toBe("text");
    expect(await old?.open((await both?.seal("text")) ?? "")).toBeUndefined();
    await expect(sealedTokens([], "return").seal("text")).rejects.toThrow("no secret");
  });

  test("opens only where it belongs", async () => {
    const site = siteContext();
    const tokens = {
      cookie: pairOf(await site.sessions.write(card)).split("=")[1] ?? "",
      return: await site.sessions.toReturnToken(card),
      link: (await site.resumeLinks.toToken(card)) ?? "",
    };
    for (const [kind, token] of Object.entries(tokens)) {
      const opened = [
        (await site.sessions.read(asking(`__Host-signup=${token}`))) !== "unreadable",
        (await site.sessions.fromReturnToken(token)) !== undefined,
        (await site.resumeLinks.fromToken(token, PLAN)) !== undefined,
      ];
      expect([kind, opened]).toEqual([kind, Object.keys(tokens).map((one) => one === kind)]);
    }
  });

  test("for a return has no personal data, and fits in Stripe's return_url", async () => {
    const site = siteContext();
    const token = await site.sessions.toReturnToken({
      ...card,
      clientSecret: "x".repeat(300),
      statusUrl: "y".repeat(300),
    });
    expect(token.length).toBeLessThan(1500);
    expect(await site.sessions.fromReturnToken(token)).not.toHaveProperty("details");
  });
});
