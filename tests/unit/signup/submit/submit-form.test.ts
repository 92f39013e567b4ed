import { describe, expect, test, vi } from "vitest";
import type { CardSession, SignupSession } from "../../../../app/signup/steps";
import {
  cardSession,
  doneSession,
  HOUR,
  NOW,
  openedForm,
  PATH,
  PLAN,
  post,
  siteContext,
  stopClock,
} from "../../../support/pipeline/site-context";
import { fields } from "../../../support/visitors/site-visitor";

/* What becomes of a posted form; around it is form-stage.test.ts. */

stopClock();

const { password: _, confirmPassword: __, ...typed } = fields;
const CREATED = { client_secret: "seti_1_secret_1" };

/** A form, a site, and an API that answers. */
async function opened({ status = 200, body = CREATED as object } = {}) {
  const site = siteContext();
  site.api.answer = () => Response.json(body, { status });
  const form = await openedForm(site);
  return { site, form, form_nonce: form.form_nonce };
}

const sentTo = (site: ReturnType<typeof siteContext>) =>
  site.api.calls.map(({ url, init }) => ({
    url,
    headers: new Headers(init.headers),
    body: JSON.parse(String(init.body)),
  }));

describe("a form that the API takes", () => {
  test("leads to the card step, for two hours of a day, with all that was typed but the passwords", async () => {
    const statusUrl = "https://api.site.example/status/a";
    const { site, form } = await opened({ body: { ...CREATED, status_url: statusUrl } });
    const answer = await post(site, form);
    expect(answer.sentTo).toEqual([303, PATH]);
    const [call] = sentTo(site);
    expect(answer.kept).toEqual({
      step: "card",
      expiresAt: NOW + 2 * HOUR,
      endsAt: NOW + 24 * HOUR,
      key: call?.headers.get("Idempotency-Key"),
      requestId: "this-request",
      clientSecret: "seti_1_secret_1",
      statusUrl,
      news: { saved: true },
      account: {
        companyName: "Engines & Sons",
        fullName: "Ada Lovelace",
        email: "ada@example.com",
        phone: "2125550123",
        packageId: PLAN,
      },
      address: {
        line1: "1 Example Street",
        city: "Springfield",
        state: "IL",
        postalCode: "62701",
        country: fields.country,
      },
    });
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
    expect(site.counted).toEqual([]);
  });

  test("is sent to it once, as the contract has it, by its sender [N1] [N2]", async () => {
    const { site, form } = await opened();
    await post(site, form);
    const calls = sentTo(site);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.url).toBe("https://api.site.example/subscription");
    const { confirmPassword: _, ...request } = fields;
    expect(calls[0]?.body).toEqual({ ...request, email: "ada@example.com", phone: "2125550123" });
    expect(calls[0]?.headers.get("Subscription-Sender")).toBe("192.0.2.7");
    expect(calls[0]?.headers.get("X-Request-Id")).toBe("this-request");
    expect(calls[0]?.headers.has("Replaces-Idempotency-Key")).toBe(false);
  });

  test.each<[string, () => SignupSession, string | null]>([
    ["a card to come", cardSession, "a-key"],
    ["one that is edited", () => cardSession({ editing: true }), "a-key"],
    ["one that has expired", () => cardSession({ expiresAt: NOW }), "a-key"],
    ["a success", doneSession, null],
  ])("replaces the sign-up of the session, but no success: %s [S18]", async (_, session, replaced) => {
    const { site, form } = await opened();
    const { kept } = await post(site, form, { session: session() });
    expect(kept).toMatchObject({ step: "card", clientSecret: "seti_1_secret_1", news: { saved: true } });
    expect(sentTo(site)[0]?.headers.get("Replaces-Idempotency-Key")).toBe(replaced);
  });

  test.each([
    ["2001:db8::1", "2001:db8:0:0::/64"],
    [null, "unknown"],
  ])("is counted by its sender, of IPv6 by the /64: %s", async (ip, sender) => {
    const { site, form } = await opened();
    await post(site, form, { more: { ip } });
    expect(sentTo(site)[0]?.headers.get("Subscription-Sender")).toBe(sender);
  });

  test("needs no plan", async () => {
    const { site, form } = await opened();
    const { kept } = await post(site, { ...form, package_id: "" });
    expect(kept).toMatchObject({ step: "card" });
    expect(kept).not.toHaveProperty("account.packageId");
    expect(sentTo(site)[0]?.body).not.toHaveProperty("package_id");
  });
});

describe("the very same form, sent again", () => {
  async function again(change: Partial<CardSession>, waitMs = 0) {
    const { site, form } = await opened();
    const first = await post(site, form);
    if (typeof first.kept !== "object" || first.kept.step !== "card") throw new Error("It is no card step");
    vi.setSystemTime(NOW + waitMs);
    const session = { ...first.kept, ...change };
    return { ...(await post(site, form, { session })), calls: site.api.calls.length };
  }

  test("leads to its sign-up without another call [S18]", async () => {
    const { sentTo, setCookie, calls } = await again({});
    expect([sentTo, setCookie, calls]).toEqual([[303, PATH], null, 1]);
  });

  test("goes back from its edited details to the card step, for two hours more", async () => {
    const { kept, calls } = await again({ editing: true }, HOUR);
    expect(kept).toMatchObject({ step: "card", expiresAt: NOW + 3 * HOUR });
    expect(kept).not.toHaveProperty("editing");
    expect(calls).toBe(1);
  });

  test("is sent on once more when its sign-up has expired", async () => {
    const { kept, calls } = await again({}, 2 * HOUR);
    expect(kept).toMatchObject({ expiresAt: NOW + 4 * HOUR });
    expect(calls).toBe(2);
  });
});

describe("a form that is not valid", () => {
  test("comes back with its messages and all that was typed, without the passwords; nobody else sees it", async () => {
    const { site, form, form_nonce } = await opened();
    const { reply, httpStatus, page } = await post(site, { ...form, city: "x", state: "" });
    expect(httpStatus).toBe(422);
    expect(reply?.form?.error).toEqual({
      city: ["City must be at least 2 characters"],
      state: ["State must be at least 2 characters"],
    });
    expect(reply?.form?.status).toBe("error");
    expect(reply?.form?.initialValue).toEqual({ ...typed, city: "x", state: undefined, form_nonce });
    expect(reply?.formNonce).toBe(form_nonce);
    expect(reply).not.toHaveProperty("notice");
    expect(JSON.stringify(page?.context.formOutcome)).not.toContain(fields.password);
    expect(site.api.calls).toEqual([]);
  });

  test("is counted by plan and field, and logged by its fields alone", async () => {
    const { site, form } = await opened();
    await post(site, { ...form, city: "x", confirmPassword: "another" });
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
    expect(site.counted).toEqual([
      ["form_refused", PLAN],
      ["field_refused", PLAN, "city"],
      ["field_refused", PLAN, "confirmPassword"],
    ]);
  });

  test("comes back with no more than 3,000 characters of an entry", async () => {
    const { site, form } = await opened();
    const { reply } = await post(site, { ...form, city: "c".repeat(3_001), state: "s".repeat(3_000) });
    expect(reply?.form?.initialValue).toMatchObject({ city: "c".repeat(3_000), state: "s".repeat(3_000) });
  });

  test("comes back where nothing was filled in", async () => {
    const { reply, httpStatus } = await post(siteContext(), {});
    expect([httpStatus, reply?.formNonce]).toEqual([422, ""]);
    expect(Object.keys(reply?.form?.error ?? {})).toContain("full_name");
  });
});

test.each<[number, object, number, string]>([
  [409, {}, 409, "A subscription with this information already exists."],
  [500, {}, 502, "Server error. Please try again later or contact support."],
  [200, {}, 502, "Payment setup failed. Please contact support."],
])(
  "a form that the API answers with %i comes back with all that was typed [S7]",
  async (status, body, httpStatus, message) => {
    const { site, form, form_nonce } = await opened({ status, body });
    const answer = await post(site, form, { session: cardSession() });
    expect([answer.httpStatus, answer.setCookie]).toEqual([httpStatus, null]);
    expect(answer.reply).toMatchObject({ notice: { message }, formNonce: form_nonce, requestId: "this-request" });
    expect(answer.reply?.form?.initialValue).toEqual({ ...typed, form_nonce });
    const outcome = status === 200 ? { outcome: "misconfigured" } : { outcome: "rejected", status };
    expect(site.logged).toEqual([["signup_failed", outcome]]);
  },
);

test("a form that looks like a program's is asked about, and nobody is called", async () => {
  const { site, form } = await opened();
  const { reply, httpStatus } = await post(site, { ...form, form_nonce: "", website: "x" });
  expect(httpStatus).toBe(422);
  expect(reply).toMatchObject({ notice: { title: "One more step" }, confirmation: { token: expect.any(String) } });
  expect(reply?.form?.initialValue).toMatchObject(typed);
  expect(await site.nonces.isFresh(reply?.formNonce ?? "")).toBe(true);
  expect(site.api.calls).toEqual([]);
});
