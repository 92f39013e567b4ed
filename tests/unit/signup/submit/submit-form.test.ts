import { describe, expect, test, vi } from "vitest";
import { COOKIES_BLOCKED } from "../../../../app/signup/notices";
import type { CardSession, SignupSession } from "../../../../app/signup/steps";
import {
  cardSession,
  doneSession,
  HOUR,
  look,
  NOW,
  openedForm,
  PATH,
  post,
  SITE_URL,
  type siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";
import { fields } from "../../../support/visitors/site-visitor";

/* What becomes of a form that the API takes; one that comes back is in returned-form.test.ts. */

stopClock();

const CREATED = { client_secret: "seti_1_secret_1" };

const opened = (answer: { status?: number; body?: object } = {}) => openedForm({ body: CREATED, ...answer });

const sentTo = (site: ReturnType<typeof siteContext>) =>
  site.api.calls.map(({ url, init }) => ({
    url,
    headers: new Headers(init.headers),
    body: JSON.parse(String(init.body)),
  }));

describe("a form that the API accepts", () => {
  test("leads to the card step for two of at most 24 hours, and keeps its values except the passwords", async () => {
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
      flash: { saved: true },
      account: cardSession().account,
      address: { ...cardSession().address, country: fields.country },
    });
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
    expect(site.counted).toEqual([]);
  });

  test("is sent once, as the contract requires, with its client's IP address, or the /64 in IPv6 [N1] [N2]", async () => {
    const { site, form } = await opened();
    await post(site, form, { more: { ip: "2001:db8::1" } });
    const calls = sentTo(site);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.url).toBe("https://api.site.example/subscription");
    const { confirmPassword: _, ...request } = fields;
    expect(calls[0]?.body).toEqual({ ...request, email: "ada@example.com", phone: "2125550123" });
    expect(calls[0]?.headers.get("Subscription-Sender")).toBe("2001:db8:0:0::/64");
    expect(calls[0]?.headers.get("X-Request-Id")).toBe("this-request");
    expect(calls[0]?.headers.has("Replaces-Idempotency-Key")).toBe(false);
  });

  test.each<[string, () => SignupSession, string | null]>([
    ["a card step", cardSession, "a-key"],
    ["one being edited", () => cardSession({ editing: true }), "a-key"],
    ["one that has expired", () => cardSession({ expiresAt: NOW }), "a-key"],
    ["one that was canceled", () => cardSession({ editing: true, ended: true }), null],
    ["a success", doneSession, null],
  ])("replaces a sign-up of the same email address unless it succeeded: %s [S18]", async (_, session, replaced) => {
    const { site, form } = await opened();
    const { kept } = await post(site, form, { session: session() });
    expect(kept).toMatchObject({ step: "card", clientSecret: "seti_1_secret_1", flash: { saved: true } });
    expect(kept).not.toHaveProperty("other");
    expect(sentTo(site)[0]?.headers.get("Replaces-Idempotency-Key")).toBe(replaced);
  });

  test.each<[string, string, string | null, object | undefined]>([
    ["was made from it", "a-key", "a-key", undefined],
    ["was opened before it", "", null, { key: "a-key" }],
    ["names another sign-up", "x-key", null, { key: "a-key" }],
  ])("replaces a sign-up of another email address only if that %s [S18]", async (_, sign_up, replaced, other) => {
    const { site, form } = await opened();
    const { kept } = await post(site, { ...form, email: "grace@example.com", sign_up }, { session: cardSession() });
    expect(sentTo(site)[0]?.headers.get("Replaces-Idempotency-Key")).toBe(replaced);
    expect(kept).toMatchObject({ step: "card", account: { email: "grace@example.com" }, ...(other && { other }) });
    if (!other) expect(kept).not.toHaveProperty("other");
  });

  test("comes back with its values to a browser without cookies, where an unchanged retry reaches the same sign-up [H27]", async () => {
    const { site, form } = await opened();
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const { sentTo: [status, location] = [] } = await post(site, form, { headers });
    expect(status).toBe(303);
    const { pathname, search } = new URL(String(location), SITE_URL);
    expect([pathname, search.startsWith("?draft=")]).toEqual([PATH, true]);
    expect(search).not.toContain(form.password);
    const { step } = await look(site, undefined, { path: pathname + search });
    const draft = {
      company_name: "Engines & Sons",
      email: "ada@example.com",
      phone: "(212) 555-0123",
      zipCode: "62701",
    };
    expect(step).toMatchObject({ step: "form", ended: COOKIES_BLOCKED, formNonce: form.form_nonce, draft });
    expect(JSON.stringify(step)).not.toContain(form.password);
    expect((await look(site, cardSession(), { path: pathname + search })).sentTo).toEqual([303, PATH]);
    expect((await look(site, undefined, { path: `${PATH}?draft=x` })).step).not.toHaveProperty("ended");
  });

  test.each<[string, Record<string, string>, object]>([
    ["has a cookie of the site", { "Sec-Fetch-Site": "same-origin", Cookie: "__Host-cookies=1" }, {}],
    ["is not a browser", {}, {}],
    ["has no nonce of the site", { "Sec-Fetch-Site": "same-origin" }, { form_nonce: "x" }],
  ])("goes only to the page if the client %s", async (_, headers, change) => {
    const { site, form } = await opened();
    expect((await post(site, { ...form, ...change }, { headers })).sentTo).toEqual([303, PATH]);
  });

  test("needs no plan", async () => {
    const { site, form } = await opened();
    const { kept } = await post(site, { ...form, package_id: "" });
    expect(kept).toMatchObject({ step: "card" });
    expect(kept).not.toHaveProperty("account.packageId");
    expect(sentTo(site)[0]?.body).not.toHaveProperty("package_id");
  });
});

describe("an identical form sent again", () => {
  async function again(change: Partial<CardSession>, waitMs = 0) {
    const { site, form } = await opened();
    const first = await post(site, form);
    if (typeof first.kept !== "object" || first.kept.step !== "card") throw new Error("It is no card step");
    vi.setSystemTime(NOW + waitMs);
    const session = { ...first.kept, ...change };
    return { ...(await post(site, form, { session })), calls: site.api.calls.length };
  }

  test("leads to its sign-up without another API call [S18]", async () => {
    const { sentTo, setCookie, calls } = await again({});
    expect([sentTo, setCookie, calls]).toEqual([[303, PATH], null, 1]);
  });

  test("returns from editing to the card step for two more hours", async () => {
    const { kept, calls } = await again({ editing: true }, HOUR);
    expect(kept).toMatchObject({ step: "card", expiresAt: NOW + 3 * HOUR });
    expect(kept).not.toHaveProperty("editing");
    expect(calls).toBe(1);
  });

  test.each(["of the site", "", "forged"])(
    "has the key that it had, and with an edit another one: its nonce is '%s' [C9]",
    async (nonce) => {
      const { site, form } = await opened({ status: 500 });
      const sent = nonce === "of the site" ? form : { ...form, form_nonce: nonce };
      const { reply } = await post(site, sent);
      const returned = { ...sent, form_nonce: reply?.formNonce ?? "" };
      await post(site, returned);
      await post(site, { ...returned, city: "Shelbyville" });
      const [first, second, edited] = sentTo(site).map(({ headers }) => headers.get("Idempotency-Key"));
      expect(first).toMatch(/^[\w-]{43}$/);
      expect(second).toBe(first);
      expect(edited).not.toBe(first);
    },
  );

  test("is sent again if its sign-up has expired", async () => {
    const { kept, calls } = await again({}, 2 * HOUR);
    expect(kept).toMatchObject({ expiresAt: NOW + 4 * HOUR });
    expect(calls).toBe(2);
  });
});
