import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import { sealedTokens } from "../../../app/signup/server/sealed-token.server";
import { signupSessions } from "../../../app/signup/server/session.server";
import {
  HOUR,
  look,
  NONCE,
  NOW,
  PLAN,
  post,
  SESSIONS,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";
import { validRequest } from "../../support/visitors/visitor";

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
    expect(sessions.clear()).toBe("__Host-signup=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test.each(Object.entries(SESSIONS))("opens as it was written: %s", async (_, session) => {
    const cookie = pairOf(await sessions.write(session));
    expect(await sessions.read(asking(cookie))).toEqual(session);
    expect([sessions.isIn(asking(cookie)), sessions.isIn(asking("__Host-signup2=1"))]).toEqual([true, false]);
  });

  test("shows nothing of the sign-up to whoever has it, and is refused after a change of any character", async () => {
    const cookie = pairOf(await sessions.write(card));
    const start = cookie.indexOf("=") + 1;
    const decoded = (text: string) =>
      text.slice(start).replace(/[^.]+/g, (part) => Buffer.from(part, "base64url").toString("latin1"));
    expect(decoded(cookie)).not.toMatch(/ada|Engines|seti_|secret/i);
    const change = fc.tuple(fc.integer({ min: start, max: cookie.length - 1 }), fc.constantFrom(..."Aa0-_."));
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = cookie.slice(0, at) + character + cookie.slice(at + 1);
        // The last character of a part has bits that nothing decodes.
        fc.pre(decoded(changed) !== decoded(cookie));
        expect(await sessions.read(asking(changed))).toBe("unreadable");
      }),
      { numRuns: 200, seed: 2026 },
    );
  });

  const old = { step: "card", clientSecret: "seti_1_secret_1", key: "a", expiresAt: NOW + HOUR, endsAt: NOW + HOUR };

  test.each(["", "x", "%E0%A4%A", "=;;", "..", "a.b.c", "x".repeat(10_000), old])(
    "that cannot be read or is of an earlier release leads to the form with a clear word, and is cleared: %.40j",
    async (value) => {
      const sealed =
        typeof value === "string" ? value : await sealedTokens([SECRET], "cookie").seal(JSON.stringify(old));
      const { step, session } = await look(siteContext(), { headers: { Cookie: `__Host-signup=${sealed}` } });
      expect([step, session]).toMatchObject([
        { step: "form", ended: { title: "Your sign-up could not be opened" } },
        "cleared",
      ]);
    },
  );

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
    const browser = asking(pairOf(one));
    expect([sessions.nonceIn(browser), sessions.missingNonce(browser)]).toEqual([pairOf(one).slice(12), undefined]);
  });

  test.each(["__Host-form=short", `__Host-form=${"x".repeat(23)}`, "__Host-form=with a space in it 123", "a=1"])(
    "is given anew if it is missing or malformed: %s",
    (cookie) => {
      const given = [sessions.nonceIn(asking(cookie)), sessions.missingNonce(asking(cookie))];
      expect(given).toEqual([undefined, expect.stringMatching(/^__Host-form=/)]);
    },
  );
});

describe("a form's key", () => {
  const keyOf = idempotencyKeys([SECRET, OLD]);
  const names = Object.keys(validRequest) as (keyof typeof validRequest)[];

  test("is the same for an equal form, and another after a change of any field, of the nonce or of the first secret", async () => {
    const key = await keyOf(validRequest, NONCE);
    expect(key).toMatch(/^[\w-]{16}$/);
    expect(await idempotencyKeys([SECRET])({ ...validRequest }, NONCE)).toBe(key);
    expect(await keyOf(validRequest, `${NONCE.slice(1)}x`)).not.toBe(key);
    expect(await idempotencyKeys([OLD])(validRequest, NONCE)).not.toBe(key);
    for (const name of names) {
      const changed = { ...validRequest, [name]: `${validRequest[name]} ` };
      expect([name, await keyOf(changed, NONCE)]).not.toEqual([name, key]);
    }
  });

  test("without a nonce omits the password, and so tells nothing about it", async () => {
    const key = await keyOf(validRequest, undefined);
    expect(await keyOf({ ...validRequest, password: "An0ther one!" }, undefined)).toBe(key);
    expect(await keyOf({ ...validRequest, city: "Elsewhere" }, undefined)).not.toBe(key);
  });
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
    const long = { ...card, clientSecret: "x".repeat(300), statusUrl: "y".repeat(300) };
    const token = await site.sessions.toReturnToken(long);
    expect(token.length).toBeLessThan(1500);
    expect(await site.sessions.fromReturnToken(token)).not.toHaveProperty("details");
  });
});
