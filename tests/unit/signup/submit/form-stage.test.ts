import { describe, expect, test } from "vitest";
import { BODY_TOO_LARGE, TOO_MANY_REQUESTS } from "../../../../app/pipeline/guard/refusals.server";
import { handleForm } from "../../../../app/signup/server/submit/submit-form.server";
import {
  cardSession,
  openedForm,
  PATH,
  post,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";
import { typed } from "../../../support/visitors/site-visitor";

/* The form's stage of the pipeline: what it leaves alone, what it hands on. */

stopClock();

describe("a form refused by the request guard", () => {
  const tooMany = "Too many requests. Please wait a moment and try again.";

  test("comes back with the typed values if they were read", async () => {
    const { site, form } = await openedForm();
    const more = { refusal: TOO_MANY_REQUESTS };
    const { reply, httpStatus } = await post(site, form, { session: cardSession(), more });
    expect(httpStatus).toBe(429);
    expect(reply).toMatchObject({ notice: { message: tooMany }, formNonce: form.form_nonce });
    expect(reply?.form?.initialValue).toEqual({ ...typed, form_nonce: form.form_nonce });
    const buttons = await post(site, { intent: "start-over" }, { more });
    expect([buttons.httpStatus, buttons.setCookie]).toEqual([429, null]);
    expect(site.api.calls).toEqual([]);
  });

  test("gets only the error message if they were not read", async () => {
    const answer = await post(siteContext(), {}, { more: { refusal: BODY_TOO_LARGE } });
    expect([answer.httpStatus, answer.reply]).toEqual([
      413,
      { notice: { kind: "destructive", title: "Submission Failed", message: BODY_TOO_LARGE.message } },
    ]);
  });
});

describe("the page for a refused form", () => {
  test("is not rendered for a request without a form", async () => {
    const site = siteContext();
    const context = site.contextOf(PATH);
    const request = new Request(context.url);
    const seen: unknown[] = [];
    const response = await handleForm(request, context, (...given) => {
      seen.push(...given);
      return new Response("the page");
    });
    expect(await response.text()).toBe("the page");
    expect(seen[0]).toBe(request);
    expect(seen[1]).toBe(context);
  });

  test("is rendered from the request's URL, method and cookie, without headers that Remix would trust", async () => {
    const site = siteContext();
    const context = site.contextOf(PATH, { form: {} });
    for (const cookie of [[["Cookie", "a=b"]], []]) {
      const seen: Request[] = [];
      const headers = Object.fromEntries([...cookie, ["X-Forwarded-Host", "evil.test"], ["Origin", "%"]]);
      await handleForm(new Request(context.url, { method: "POST", headers, body: "x=y" }), context, (request) => {
        seen.push(request);
        return new Response();
      });
      const [{ url, method, body, headers: handedOn } = new Request("https://nobody.example")] = seen;
      expect({ url, method, body }).toEqual({ url: context.url.href, method: "POST", body: null });
      expect([...handedOn]).toEqual(cookie.map(([name = "", value]) => [name.toLowerCase(), value]));
    }
  });

  test("redirects a form sent by script", async () => {
    const { site, form } = await openedForm({ body: { client_secret: "seti_1_secret_1" } });
    const { route } = site.contextOf(PATH);
    if (!route) throw new Error("There is no route");
    const { page, kept } = await post(site, form, { more: { route: { ...route, isData: true } } });
    expect(kept).toBeUndefined();
    const outcome = page?.context.formOutcome;
    if (outcome?.status !== "redirect") throw new Error("It is no redirect");
    expect([outcome.response.status, outcome.response.headers.get("Location")]).toEqual([303, PATH]);
    expect(await site.sessionIn(outcome.response.headers.get("Set-Cookie"))).toMatchObject({ step: "card" });
  });

  test("rethrows an error for a form sent by script", async () => {
    const { site, form } = await openedForm();
    const error = new Error("The funnel is broken");
    const funnel = {
      count() {
        throw error;
      },
    };
    const { page } = await post(site, { ...form, city: "" }, { more: { funnel } });
    expect(page?.context.formOutcome).toEqual({ status: "failed", error });
    const { form: handedOn, url } = page?.context ?? {};
    expect([handedOn?.state, url?.pathname]).toEqual(["IL", PATH]);
  });

  test("is the home page if the path has no route", async () => {
    const site = siteContext();
    expect((await post(site, { intent: "start-over" }, { more: { route: undefined } })).sentTo).toEqual([303, "/"]);
  });
});
