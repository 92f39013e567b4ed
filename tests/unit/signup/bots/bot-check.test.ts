import { describe, expect, test, vi } from "vitest";
import { checkForBots } from "../../../../app/signup/server/bots/bot-check.server";
import { challenges } from "../../../../app/signup/server/bots/challenge.server";
import { turnstile } from "../../../../app/signup/server/bots/turnstile.server";
import { formNonces } from "../../../../app/signup/server/submit/form-nonce.server";
import { contextWith, countingLimiter, recordedLog } from "../../../support/site-in-process/pipeline-context";
import { stopClock } from "../../../support/site-in-process/site-context";
import { validRequest as request } from "../../../support/visitors/visitor";

/* When a valid form is asked about, and what lets it pass. */

const SECRET = "a-secret-of-at-least-thirty-two-characters";
const nonces = formNonces([SECRET], () => Date.now());
const tokens = challenges([SECRET], () => Date.now());
const nonceOf = (millisecondsAgo: number) => formNonces([SECRET], () => Date.now() - millisecondsAgo).issue();

stopClock();

type SiteOptions = { limit?: number; isData?: boolean; keys?: object; asks?: boolean };

/** @param limit of each kind of count; `isData`: the form was sent by the page's script */
function site({ limit = 9, isData = false, keys = {}, asks = true }: SiteOptions = {}) {
  const { log, lines } = recordedLog();
  const limiter = countingLimiter(limit);
  const context = contextWith({
    log,
    nonces,
    challenges: tokens,
    turnstile: turnstile({ siteKey: undefined, secretKey: undefined, ...keys }),
    route: { isData },
    configuration: {
      BOT_CHECK: asks,
      FORM_NONCE_RATE_LIMIT: limiter,
      SIGNUP_NETWORK_RATE_LIMIT: limiter,
    },
  });
  const outcome = (form: Record<string, string>) => checkForBots(form, request, context);
  /** What a form that is asked about comes back with. */
  const check = async (form: Record<string, string>) => {
    const checked = await outcome(form);
    return checked.status === "asks" ? checked.question : undefined;
  };
  return { check, outcome, lines, counted: limiter.keys };
}

const suspected = (...signals: string[]) => [["signup_suspected", { signals }]];

describe("a form that looks automated", () => {
  test("has two signals; with fewer it passes [H20]", async () => {
    const { check, lines } = site();
    expect(await check({ form_nonce: await nonceOf(2_000) })).toBeUndefined();
    expect(await check({ form_nonce: await nonceOf(0) })).toBeUndefined();
    expect(await check({ form_nonce: await nonceOf(2_000), website: "x" })).toBeUndefined();
    expect(await check({})).toBeUndefined();
    expect(lines).toEqual([]);

    expect(await check({ form_nonce: await nonceOf(0), website: "x" })).toMatchObject({ httpStatus: 422 });
    expect(lines).toEqual(suspected("honeypot", "fast"));
  });

  test("passes uncounted in local development, where no challenge exists [H20]", async () => {
    const { check, counted, lines } = site({ asks: false, limit: 0 });
    expect(await check({ form_nonce: await nonceOf(0), website: "x" })).toBeUndefined();
    expect(await check({ website: "x" })).toBeUndefined();
    expect([counted, lines]).toEqual([[], []]);
  });

  test("comes back with its nonce and a challenge button bound to both [H20]", async () => {
    const { check } = site({ keys: { siteKey: "a-site-key" } });
    const form_nonce = await nonceOf(0);
    const { reply } = (await check({ form_nonce, website: "x" })) ?? {};
    expect(reply).toEqual({
      formNonce: form_nonce,
      challenge: { token: expect.any(String), siteKey: "a-site-key" },
      notice: {
        kind: "progress",
        title: "One more step",
        message: expect.stringMatching(/not your password\. Enter it again\. Press the button at the end of the form/),
        fields: { password: ["Enter your password again"], confirmPassword: ["Enter your password again"] },
      },
    });
    expect(await tokens.isFor(reply?.challenge?.token ?? "", form_nonce, request)).toBe(true);
  });

  test("without a valid nonce gets a new nonce, and the button is bound to it [H20]", async () => {
    for (const form_nonce of ["", `${await nonceOf(0)}x`]) {
      const { reply } = (await site().check({ website: "x", form_nonce })) ?? {};
      const nonce = reply?.formNonce ?? "";
      expect(nonce).not.toBe(form_nonce);
      expect(await nonces.read(nonce)).toBeDefined();
      expect(await tokens.isFor(reply?.challenge?.token ?? "", nonce, request)).toBe(true);
    }
  });

  test("gets no message about passwords if a script sent it, since its page still has them [H20]", async () => {
    const { reply } = (await site({ isData: true }).check({ website: "x" })) ?? {};
    expect(reply?.notice).toEqual({
      kind: "progress",
      title: "One more step",
      message: "Press the button at the end of the form to confirm you're not a bot.",
    });
  });
});

describe("a form sent with the challenge button", () => {
  const pressed = async (form_nonce: string, more: Record<string, string> = {}) => ({
    form_nonce,
    website: "x",
    confirmation: await tokens.issue(form_nonce, request),
    ...more,
  });

  test("passes, and is counted as confirmed instead of as another form [H20]", async () => {
    const { outcome, counted, lines } = site();
    expect(await outcome(await pressed(await nonceOf(0)))).toEqual({ status: "confirmed", isVerified: false });
    expect(counted).toEqual([expect.stringMatching(/^[\w-]{22} confirmed$/), "192.0.2.0/24 confirmed"]);
    expect(lines).toEqual([]);
  });

  test("is challenged again if the button belongs to another form or its nonce is not from the site [H20]", async () => {
    const form_nonce = await nonceOf(0);
    const other = { confirmation: await tokens.issue(await nonceOf(0), request) };
    expect(await site().check(await pressed(form_nonce, other))).toMatchObject({ httpStatus: 422 });
    expect(await site().check(await pressed(`${form_nonce}x`))).toMatchObject({ httpStatus: 422 });
    expect(await site().check(await pressed(await nonceOf(25 * 3600_000)))).toMatchObject({ httpStatus: 422 });
    expect(await site().check({ form_nonce, website: "x" })).toMatchObject({ httpStatus: 422 });
  });

  test("gets 429 over the limit for confirmed forms, with the button again [H20]", async () => {
    const { check, lines } = site({ limit: 1 });
    const form = await pressed(await nonceOf(0));
    expect(await check(form)).toBeUndefined();
    const again = await check(form);
    expect(again).toMatchObject({
      httpStatus: 429,
      reply: {
        formNonce: form.form_nonce,
        notice: { kind: "destructive", message: "Too many requests. Please wait a moment and try again." },
      },
    });
    expect(await tokens.isFor(again?.reply.challenge?.token ?? "", form.form_nonce, request)).toBe(true);
    expect(lines).toEqual(suspected("confirmed_too_often"));
  });

  test.each<[says: object, outcome: object, signals: string[]]>([
    [{ success: true }, { status: "confirmed", isVerified: true }, []],
    [{ success: false, "error-codes": ["invalid-input-response"] }, { question: { httpStatus: 422 } }, ["turnstile"]],
    [{ success: false, "error-codes": ["internal-error"] }, { question: { httpStatus: 429 } }, ["confirmed_too_often"]],
  ])("with the Turnstile response %j gives %j, whatever the rate limits [H20]", async (says, expected, signals) => {
    const asked: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      asked.push(String(init?.body));
      return Response.json(says);
    });
    const { outcome, counted, lines } = site({ limit: 0, keys: { siteKey: "a-key", secretKey: "a-secret" } });
    const form = await pressed(await nonceOf(0), { "cf-turnstile-response": "a-token" });
    expect(await outcome(form)).toMatchObject(expected);
    expect(asked).toEqual(["secret=a-secret&response=a-token"]);
    const told = lines.filter(([event]) => event === "signup_suspected");
    expect(told).toEqual(signals.length === 0 ? [] : suspected(...signals));
    expect(counted.length > 0).toBe(signals.includes("confirmed_too_often"));
  });
});
