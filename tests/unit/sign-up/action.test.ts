import { describe, expect, test, vi } from "vitest";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { SIGN_UP_HOURS } from "../../../app/contract/trial";
import { idempotencyKeys } from "../../../app/signup/server/form/idempotency-key.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields } from "../../support/person";
import { PRICE, post, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SETTINGS, STATUS_URL } from "../../support/site-in-process/site-settings";
import { NONCE } from "../../support/visitors/site-visitor";
import { SESSIONS } from "./sessions";

/*
 * A posted form: its outcome, the page, the cookies and the log lines. `post` fails on a password in an answer or the log, and on
 * personal data in the log.
 */

stopClock();

const SIGN_UP_END = NOW + SIGN_UP_HOURS * HOUR;

/** In the contract's order, on which the key depends. */
const request = subscriptionRequest.parse({ ...fields, email: "ada@example.com", phone: "2125550123" });
const { card, waiting, done, expired, canceled } = SESSIONS;
const keyOf = idempotencyKeys([SETTINGS.SESSION_SECRET]);

describe("a form that the API takes", () => {
  test("leads to the page of its plan", async () => {
    expect(await post(siteContext(), fields)).toRedirectTo(PATH);
  });

  test("is sent once, with the contract's fields and no others", async () => {
    const site = siteContext();
    await post(site, { ...fields, role: "admin", amount: "0" });
    expect(site.api.calls.map(({ init }) => JSON.parse(String(init.body)))).toEqual([
      { ...request, password: fields.password },
    ]);
  });

  test("is sent, and shown later, with its values cleaned", async () => {
    const site = siteContext();
    const { session } = await post(site, { ...fields, email: "mailto:Ada@Example.com", full_name: " Ada  Byron" });
    const cleaned = { email: "ada@example.com", full_name: "Ada Byron" };
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toMatchObject(cleaned);
    expect(session).toMatchObject({ details: cleaned });
  });

  test("is sent with the exact bytes of the password", async () => {
    const site = siteContext();
    const password = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    await post(site, { ...fields, password, confirmPassword: password });
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toHaveProperty("password", password);
  });

  test("is sent with its key, its request ID and the visitor's rate limit key", async () => {
    const site = siteContext();
    await post(site, fields);
    expect(site.api.calls[0]?.init.headers).toMatchObject({
      "Idempotency-Key": await keyOf({ ...request, password: fields.password }, NONCE),
      "X-Request-Id": "this-request",
      "Subscription-Sender": "192.0.2.7",
    });
  });

  test("becomes the browser's sign-up in place of an earlier one", async () => {
    const { package_id, password: _, ...details } = request;
    const { session } = await post(siteContext(), fields, { session: { ...card, details: { company_name: "Other" } } });
    expect(session).toEqual({
      ...{
        state: "card",
        flash: "saved",
        requestId: "this-request",
        packageId: PLAN,
        agreedPriceCents: PRICE.price_cents,
        details,
      },
      key: await keyOf({ ...request, password: fields.password }, NONCE),
      expiresAt: SIGN_UP_END,
      clientSecret: "seti_1_secret_1",
      statusUrl: STATUS_URL,
    });
  });

  test("keeps the form's nonce", async () => {
    expect((await post(siteContext(), fields)).newNonce).toBe(false);
  });

  test("is one line of the log, without personal data", async () => {
    const site = siteContext();
    await post(site, fields);
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
  });

  test.each([
    { name: "of another page", form: fields, path: `/subscription/${OTHER_PLAN}`, to: PATH },
    { name: "in capital letters", form: { ...fields, package_id: PLAN.toUpperCase() }, path: PATH, to: PATH },
    {
      name: "without a plan",
      form: { ...fields, package_id: "" },
      path: "/subscription",
      to: "/subscription",
    },
  ])("leads to the plan in the form: $name", async ({ form, path, to }) => {
    expect(await post(siteContext(), form, { path })).toRedirectTo(to);
  });

  test.each([
    {
      name: "when the API says so, if that is sooner",
      expires_at: new Date(SIGN_UP_END - 1).toISOString(),
      end: SIGN_UP_END - 1,
    },
    {
      name: "after its hours, if the API says later",
      expires_at: new Date(SIGN_UP_END + 1).toISOString(),
      end: SIGN_UP_END,
    },
    { name: "after its hours, if the API does not say", expires_at: undefined, end: SIGN_UP_END },
  ])("ends $name", async ({ expires_at, end }) => {
    const site = siteContext();
    site.api.answer = () => Response.json({ client_secret: "seti_1_secret_1", expires_at });
    expect((await post(site, fields)).session).toMatchObject({ state: "card", expiresAt: end });
  });
});

describe("the same form again", () => {
  const again = async (session: SignupSession) => {
    const site = siteContext();
    const key = await keyOf({ ...request, password: fields.password }, NONCE);
    return { site, ...(await post(site, fields, { session: { ...session, key } })) };
  };

  test.each<SignupSession>([card, waiting, done])(
    "leads to its sign-up, and the API is not called: $state",
    async (session) => {
      const { site, ...answer } = await again(session);
      expect(answer).toRedirectTo(PATH);
      expect(answer.session).toBeUndefined();
      expect(site.api.calls).toEqual([]);
    },
  );

  test.each<SignupSession>([expired, canceled])("is another sign-up after an end: $why", async (session) => {
    const answer = await again(session);
    expect(answer.session).toMatchObject({ state: "card" });
    expect(answer.site.api.calls).toHaveLength(1);
  });

  test.each<{ name: string; headers: Record<string, string> }>([
    { name: "a script without cookies", headers: { Cookie: "", "Sec-Fetch-Site": "" } },
    { name: "a page of an earlier release", headers: { Cookie: "another=1" } },
  ])("without a nonce has the same key whatever the password: $name", async ({ headers }) => {
    const form = { ...fields, password: "An0ther one!", confirmPassword: "An0ther one!" };
    const { session } = await post(siteContext(), form, { headers });
    expect(session).toMatchObject({ key: await keyOf(request, undefined) });
  });
});

describe("a busy API", () => {
  const busy = async (settings: Record<string, string>) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const site = siteContext(settings);
    site.api.answer = () => new Response(null, { status: 503, headers: { "Retry-After": "0" } });
    await post(site, fields);
    return { calls: site.api.calls.length, deadlines: timeout.mock.calls.flat() };
  };

  test("that honors the key is called three times within the one deadline", async () => {
    const settings = { SUBSCRIPTION_API_IDEMPOTENT: "true", SUBSCRIPTION_API_TIMEOUT_MS: "2000" };
    expect(await busy(settings)).toEqual({ calls: 3, deadlines: [2_000] });
  });

  test("that does not honor the key is called once", async () => {
    const settings = { SUBSCRIPTION_API_IDEMPOTENT: "false", SUBSCRIPTION_API_TIMEOUT_MS: "3000" };
    expect(await busy(settings)).toEqual({ calls: 1, deadlines: [3_000] });
  });
});

describe("Start over", () => {
  const startOver = (session: SignupSession | undefined, sign_up: string) =>
    post(siteContext(), { intent: "start-over", sign_up }, { session, path: `${PATH}?edit` });

  test.each<{ name: string; session?: SignupSession }>([
    { name: "its sign-up", session: card },
    { name: "its success", session: done },
    { name: "no sign-up" },
  ])("empties the form of a browser with $name: the next one is another sign-up", async ({ session }) => {
    const answer = await startOver(session, "the-first-key");
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBe("cleared");
    expect(answer.newNonce, "a new key for the form").toBe(true);
  });

  test("on an older page leaves the newer sign-up alone", async () => {
    const answer = await startOver({ ...card, key: "another-key" }, "the-first-key");
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBeUndefined();
    expect(answer.newNonce, "a new key for the form").toBe(false);
  });
});

test.each(["an-older-button", "__proto__", ""])(
  "a button of an earlier release changes nothing: %j",
  async (intent) => {
    const site = siteContext();
    const answer = await post(site, { intent }, { session: card });
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBeUndefined();
    expect(site.api.calls).toEqual([]);
  },
);
