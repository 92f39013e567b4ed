import { describe, expect, test } from "vitest";
import { BODY_TOO_LARGE } from "../../../../app/pipeline/guard/refusals.server";
import {
  cardSession,
  openedForm,
  PLAN,
  post,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";
import { fields, typed } from "../../../support/visitors/site-visitor";

/* What a form comes back with. */

stopClock();

describe("an invalid form", () => {
  test("comes back to its sender only, with its messages and values but without the passwords", async () => {
    const { site, form, form_nonce } = await openedForm();
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

  test("is counted by plan and field, and logged with field names only", async () => {
    const { site, form } = await openedForm();
    await post(site, { ...form, city: "x", confirmPassword: "another" });
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
    expect(site.counted).toEqual([
      ["form_refused", PLAN],
      ["field_refused", PLAN, "city"],
      ["field_refused", PLAN, "confirmPassword"],
    ]);
  });

  test("comes back with at most 3,000 characters of each value", async () => {
    const { site, form } = await openedForm();
    const { reply } = await post(site, { ...form, city: "c".repeat(3_001), state: "s".repeat(3_000) });
    expect(reply?.form?.initialValue).toMatchObject({ city: "c".repeat(3_000), state: "s".repeat(3_000) });
  });

  test("gets its messages and no challenge, even if it looks automated [H20]", async () => {
    const { site, form } = await openedForm();
    const { httpStatus, reply } = await post(site, { ...form, form_nonce: "", website: "x", zipCode: "1" });
    expect([httpStatus, Object.keys(reply?.form?.error ?? {})]).toEqual([422, ["zipCode"]]);
    expect(reply).not.toHaveProperty("challenge");
  });

  test("comes back if every field is empty", async () => {
    const { reply, httpStatus } = await post(siteContext(), {});
    expect([httpStatus, reply?.formNonce]).toEqual([422, ""]);
    expect(Object.keys(reply?.form?.error ?? {})).toContain("full_name");
  });

  test("that is too large gets a message at its longest field, and none at fields that were not read", async () => {
    const { site, form } = await openedForm();
    const cut = { form_nonce: form.form_nonce, full_name: "Ada Lovelace", company_name: "x".repeat(4_000) };
    const { reply, httpStatus } = await post(site, cut, { more: { refusal: BODY_TOO_LARGE } });
    expect(httpStatus).toBe(413);
    expect(reply?.notice?.fields).toEqual({ company_name: ["Company name must be at most 100 characters"] });
    expect(reply?.form?.error).toBeUndefined();
    const { form_nonce: _, ...withoutNonce } = cut;
    const plain = await post(site, withoutNonce, { more: { refusal: BODY_TOO_LARGE } });
    expect(plain.reply?.form?.initialValue).toMatchObject({ full_name: "Ada Lovelace" });
    expect(reply?.form?.initialValue).toMatchObject({ full_name: "Ada Lovelace" });
    // What was cut off may be all that was wrong.
    const spaces = { ...form, phone: `2125550123${" ".repeat(4_000)}` };
    const { reply: answer } = await post(site, spaces, { more: { refusal: BODY_TOO_LARGE } });
    expect(answer?.notice?.fields).toEqual({ phone: ["Please shorten this entry"] });
    const other = await post(site, { ...form, website: "x".repeat(4_000) }, { more: { refusal: BODY_TOO_LARGE } });
    expect(other.reply?.notice).not.toHaveProperty("fields");
  });

  test.each(["constructor", "__proto__", "toString", "pay"])(
    "comes back where its button is none: %s",
    async (intent) => {
      expect((await post(siteContext(), { intent })).httpStatus).toBe(422);
    },
  );
});

function fails(): never {
  throw new TypeError("fetch failed");
}

describe("a form that the API refuses", () => {
  test.each([
    [400, 400, "Invalid subscription data. Please check your information and try again."],
    [401, 502, "Authentication required. Please refresh the page and try again."],
    [403, 502, "Access forbidden. Please contact support."],
    [404, 502, "Subscription service not found. Please contact support."],
    [409, 409, "A subscription with this information already exists."],
    [422, 422, "Invalid subscription information. Please check your details."],
    [429, 429, "Too many requests. Please wait a moment and try again."],
    [500, 502, "Server error. Please try again later or contact support."],
    [503, 503, "Service temporarily unavailable. Please try again later."],
    [307, 502, "Server error (307). Please try again later."],
    [418, 502, "Server error (418). Please try again later."],
    [502, 502, "Server error (502). Please try again later."],
  ])("with %i gives %i, and comes back with its values and message [C8] [S7] [M3]", async (...given) => {
    const [status, shown, message] = given;
    const { site, form, form_nonce } = await openedForm({ status });
    const answer = await post(site, form, { session: cardSession() });
    expect([answer.httpStatus, answer.setCookie]).toEqual([shown, null]);
    const notice = { kind: "destructive", title: "Submission Failed", message };
    expect(answer.reply).toMatchObject({ notice, requestId: "this-request" });
    // After a 409 nothing can begin under the form's key any more.
    expect(answer.reply?.formNonce === form_nonce).toBe(status !== 409);
    expect(await site.nonces.read(answer.reply?.formNonce ?? "")).toBeDefined();
    expect(answer.reply?.form?.initialValue).toEqual({ ...typed, form_nonce });
    const event = [409, 422, 429].includes(status) ? "signup_refused" : "signup_failed";
    expect(site.logged).toEqual([[event, { outcome: "rejected", status }]]);
  });

  test.each<[what: string, row: string, answers: () => Response, outcome: string, title: string, message: RegExp]>([
    [
      "without a client_secret",
      "M6",
      () => Response.json({}),
      "misconfigured",
      "Configuration Error",
      /^Payment setup/,
    ],
    ["without JSON", "M5", () => new Response("<html>"), "unintelligible", "Submission Failed", /^An unexpected error/],
    ["by failing", "M4", fails, "unreachable", "Connection Failed", /^Unable to connect/],
  ])("when %s gives 502, and comes back with the right notice [%s]", async (...given) => {
    const [, , answers, outcome, title, message] = given;
    const { site, form } = await openedForm();
    site.api.answer = answers;
    const { httpStatus, reply } = await post(site, form);
    expect(httpStatus).toBe(502);
    expect(reply?.notice).toMatchObject({ title, message: expect.stringMatching(message) });
    expect(reply?.form?.initialValue).toMatchObject(typed);
    expect(site.logged).toEqual([["signup_failed", { outcome }]]);
  });
});

test("a form that looks automated gets a challenge, and the API is not called", async () => {
  const { site, form } = await openedForm();
  const { reply, httpStatus } = await post(site, { ...form, form_nonce: "", website: "x" });
  expect(httpStatus).toBe(422);
  expect(reply).toMatchObject({ notice: { title: "One more step" }, challenge: { token: expect.any(String) } });
  expect(reply?.form?.initialValue).toMatchObject(typed);
  expect(await site.nonces.read(reply?.formNonce ?? "")).toBeDefined();
  expect(site.api.calls).toEqual([]);
});
