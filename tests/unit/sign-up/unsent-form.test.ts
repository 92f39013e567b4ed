import { describe, expect, test, vi } from "vitest";
import { headers as documentHeaders } from "../../../app/routes/subscription";
import { stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { post, siteContext } from "../../support/site-in-process/site-context";
import { countingLimiter } from "../../support/site-in-process/site-settings";

/* A form that the site does not send to the API: the page, what it keeps, and the log line. */

stopClock();

const overLimit = () => siteContext({ SIGNUP_RATE_LIMIT: countingLimiter(0) });
const returnedForm = { initialValue: expect.objectContaining(typed) };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

describe("a form with invalid fields", () => {
  const invalid = { ...fields, city: "x", confirmPassword: "another" };

  test("comes back with its values, and a message for each field", async () => {
    const answer = await post(siteContext(), invalid);
    expect(answer).toHaveStatus(422);
    expect(answer.reply?.form?.error).toEqual({
      city: ["City must be at least 2 characters"],
      confirmPassword: ["Passwords do not match"],
    });
    expect(answer.reply?.form?.initialValue).toMatchObject({ ...typed, city: "x" });
  });

  test("keeps its nonce for the next try", async () => {
    expect((await post(siteContext(), invalid)).newNonce).toBe(false);
  });

  test("is not sent, and the log names the fields only", async () => {
    const site = siteContext();
    await post(site, invalid);
    expect(site.api.calls).toEqual([]);
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
  });
});

describe("a browser that blocks all cookies", () => {
  test("gets its form back before a sign-up is made", async () => {
    const site = siteContext();
    const answer = await post(site, fields, { headers: { Cookie: "" } });
    expect(answer).toHaveStatus(422);
    expect(answer).toShowNotice("Cookies are blocked", "Allow cookies for this site, then try again.");
    expect(answer.reply).toMatchObject({ form: returnedForm });
    expect(site.api.calls).toEqual([]);
  });

  test("gets a nonce, in case that it keeps cookies now", async () => {
    expect((await post(siteContext(), fields, { headers: { Cookie: "" } })).newNonce).toBe(true);
  });
});

describe("a form that comes back with a notice", () => {
  const hint = "We kept your details but not your password. Enter it again.";
  const blocked = { headers: { Cookie: "" } };

  test("says that its password is gone, without scripts", async () => {
    expect((await post(siteContext(), fields, blocked)).reply?.notice?.hint).toBe(hint);
  });

  test("does not say so on a page with scripts, which still has it", async () => {
    const site = siteContext();
    Object.assign(site.context, { route: { isData: true } });
    expect((await post(site, fields, blocked)).reply?.notice?.hint).toBeUndefined();
  });
});

describe("a sender over the limit", () => {
  test("gets its form back, and the API is not called", async () => {
    const site = overLimit();
    const answer = await post(site, fields);
    expect(answer).toHaveStatus(429);
    expect(answer).toShowNotice("Submission Failed", "Too many requests. Please wait a moment and try again.");
    expect(answer.reply).toMatchObject({ form: returnedForm });
    expect(site.api.calls).toEqual([]);
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
  });

  test("who pressed a button gets the notice at its step, and no form", async () => {
    const { reply } = await post(overLimit(), { intent: "start-over", sign_up: "the-first-key" });
    expect(Object.keys(reply ?? {})).toEqual(["notice"]);
  });

  test("is told when to try again, in the page's headers too", async () => {
    const { headers: actionHeaders } = await post(overLimit(), fields);
    const others = { loaderHeaders: new Headers(), parentHeaders: new Headers(), errorHeaders: undefined };
    expect(new Headers(documentHeaders({ ...others, actionHeaders })).get("Retry-After")).toBe("60");
  });

  test("on a page with scripts still has its form, which is not read", async () => {
    const site = overLimit();
    Object.assign(site.context, { route: { isData: true } });
    expect((await post(site, fields)).reply).not.toHaveProperty("form");
  });

  test("is answered after ten seconds even if its body never ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const answering = post(overLimit(), body, { headers: FORM_TYPE });
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answering).toHaveStatus(429);
  });
});

describe("a form that is too large", () => {
  const large = { ...fields, company_name: "x".repeat(17_000) };

  test("comes back with its other fields, and no messages at them", async () => {
    const { company_name: _, ...others } = typed;
    const answer = await post(siteContext(), large);
    expect(answer).toHaveStatus(413);
    expect(answer.reply?.form?.initialValue).toEqual(others);
    expect(answer.reply?.form?.error).toBeUndefined();
  });

  test("is refused in the log", async () => {
    const site = siteContext();
    await post(site, large);
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too much data" }]]);
  });
});

test("a form that cannot be read does not come back, but its notice does", async () => {
  const answer = await post(siteContext(), "email=a&email=b", { headers: FORM_TYPE });
  expect(answer).toHaveStatus(400);
  expect(Object.keys(answer.reply ?? {})).toEqual(["notice"]);
});
