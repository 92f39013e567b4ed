import { expect, test, vi } from "vitest";
import { VERIFICATION_REQUIRED } from "../../../../app/contract/problem-types";
import { PATH, post, siteContext, stopClock } from "../../../support/site-in-process/site-context";
import { fields } from "../../../support/visitors/site-visitor";

/* A network whose sign-ups of the day the API has counted: Turnstile lets a person through. */

stopClock();

const KEYS = { TURNSTILE_SITE_KEY: "a-site-key-of-the-tests", TURNSTILE_SECRET_KEY: "a-secret-key-of-the-tests" };
const PRESSED = { "cf-turnstile-response": "a-token" };

/** A site whose API wants a verified visitor, and whose Turnstile answers. */
async function refusing(settings: Record<string, unknown>, success = true) {
  const site = siteContext(settings);
  const headers = { "Content-Type": "application/problem+json", "Retry-After": "7200" };
  site.api.answer = () => {
    const sent = new Headers(site.api.calls.at(-1)?.init.headers);
    return sent.get("Subscription-Sender-Verified") === "true"
      ? Response.json({ client_secret: "seti_1_secret_1" })
      : new Response(JSON.stringify({ type: VERIFICATION_REQUIRED }), { status: 429, headers });
  };
  vi.mocked(fetch).mockImplementation(async () => {
    if (!success) throw new TypeError("fetch failed");
    return Response.json({ success });
  });
  const form = { ...fields, form_nonce: await site.nonces.issue() };
  vi.setSystemTime(Date.now() + 60_000);
  return { site, form };
}

test("requires Turnstile, and signs up whoever passes it [H3] [H20]", async () => {
  const { site, form } = await refusing(KEYS);
  const asked = await post(site, form);
  expect(asked.httpStatus).toBe(422);
  expect(asked.reply).toMatchObject({
    notice: { title: "One more step" },
    challenge: { siteKey: expect.anything() },
  });
  expect(site.logged).toEqual([["signup_suspected", { signals: ["network_day"] }]]);
  const confirmation = asked.reply?.challenge?.token ?? "";
  const answer = await post(site, { ...form, confirmation, ...PRESSED });
  expect(answer.sentTo).toEqual([303, PATH]);
});

test("asks the visitor to come back tomorrow when Turnstile is not set up or does not answer [H3]", async () => {
  const tomorrow = { message: "Too many requests. Please wait a moment and try again.", hint: expect.anything() };
  for (const settings of [{}, { ...KEYS, BOT_CHECK: "false", SITE_URL: "http://localhost:8787" }]) {
    const { site, form } = await refusing(settings);
    const { httpStatus, reply } = await post(site, form);
    expect([httpStatus, reply?.notice]).toEqual([429, expect.objectContaining(tomorrow)]);
  }
  const { site, form } = await refusing(KEYS, false);
  const confirmation = (await post(site, form)).reply?.challenge?.token ?? "";
  const { httpStatus, reply } = await post(site, { ...form, confirmation, ...PRESSED });
  expect([httpStatus, reply?.notice]).toEqual([429, expect.objectContaining(tomorrow)]);
});
