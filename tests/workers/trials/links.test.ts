import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { signedLinks } from "../../../functions/subscription-api/signed-links";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliver, newCard, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import { accountWebhooks, enterCard, mails, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import type { RunningWorker } from "../../support/workers/workers";

/** The local value (functions/subscription-api/wrangler.toml). */
const LINK_SECRET = "signs-links-in-local-development-only";

describe("the links of the start mail", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend({ ONE_TRIAL_PER_PERSON: "true" });
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  /** A trial that has just begun, and what its mail leads to. */
  async function trialOf(email: string) {
    const card = newCard();
    const { clientSecret } = await signUp(api, { email });
    const { body } = await enterCard(stripe.url, clientSecret, card);
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret))).toBe(200);
    await expect.poll(() => mails(stripe, email)).not.toHaveLength(0);
    await expect.poll(() => accountWebhooks(stripe, email)).not.toHaveLength(0);
    const [mail] = await mails(stripe, email);
    const linkTo = (path: string) => new RegExp(`https?://\\S+${path}[\\w.-]+`).exec(mail?.text ?? "")?.[0] ?? "";
    return {
      mail,
      row: await rowOf(api, email),
      card,
      paymentMethod: body.payment_method,
      verify: linkTo("/links/verify-email/"),
      notMe: linkTo("/links/not-me/"),
    };
  }

  const typesOf = async (email: string) =>
    (await accountWebhooks(stripe, email)).map(({ type, data }) => [type, data.email_verified]).reverse();
  const read = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, { ...init, headers: { connection: "close" } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test("until the first is opened the console hears that the address is not verified; one click does it, once [H4]", async () => {
    const email = "proved@example.com";
    const { verify, mail } = await trialOf(email);
    expect(await typesOf(email)).toEqual([["account.created", false]]);
    expect(verify.startsWith(`${api.url}/links/verify-email/`)).toBe(true);
    expect(mail?.html).toContain(`href="${verify}"`);

    expect((await read(verify, { method: "HEAD" })).status).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ email_verified_at: null });
    for (const _ of [1, 2, 3]) {
      expect(await read(verify)).toMatchObject({
        status: 200,
        text: expect.stringContaining("Your email address is confirmed"),
      });
    }
    await expect
      .poll(() => typesOf(email))
      .toEqual([
        ["account.created", false],
        ["account.email_verified", true],
      ]);
    expect(await rowOf(api, email)).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
    const keys = await rows(api, "SELECT count(*) AS n FROM outbox WHERE key LIKE 'email-verified/%'");
    expect(keys).toEqual([{ n: 1 }]);
  });

  test("leads to pages without a script, of a strict policy, that no cache and no search engine keeps [H4]", async () => {
    const { verify, notMe } = await trialOf("page@example.com");
    for (const page of [await read(notMe), await read(verify), await read(`${api.url}/links/not-me/nothing`)]) {
      const csp = page.headers.get("content-security-policy") ?? "";
      expect(csp).toMatch(/default-src 'none'/);
      expect(csp).toMatch(/form-action 'self'.*base-uri 'none'.*frame-ancestors 'none'/);
      expect(csp).not.toContain("unsafe");
      expect(csp).not.toContain("script-src");
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-type": expect.stringContaining("text/html"),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "x-robots-tag": "noindex",
      });
      expect(page.text).not.toContain("<script");
      expect(page.text).toContain('<html lang="en">');
      expect(page.text.match(/<h1>/g)).toHaveLength(1);
      expect(page.text).toContain("Citewell");
      expect(page.text).toContain("mailto:support@citewell.example");
    }
  });

  test('"this was not me" asks first; then subscription and card are gone, the console hears it, the address is free [H4]', async () => {
    const email = "stranger@example.com";
    const { notMe, row, paymentMethod, verify } = await trialOf(email);
    const asked = await read(notMe);
    expect(asked.text).toContain('<form method="post"><button type="submit">End this sign-up</button></form>');
    expect(await rowOf(api, email)).toMatchObject({ status: "trialing" });

    for (const _ of [1, 2]) {
      expect(await read(notMe, { method: "POST" })).toMatchObject({
        status: 200,
        text: expect.stringContaining("This sign-up has ended"),
      });
    }
    expect(await rowOf(api, email)).toMatchObject({ status: "canceled", end_reason: "not-me" });
    const client = stripeAt(stripe);
    expect(await client.subscriptions.retrieve(String(row.stripe_subscription_id))).toMatchObject({
      status: "canceled",
    });
    expect((await client.paymentMethods.retrieve(paymentMethod)).customer).toBeNull();
    await expect
      .poll(() => typesOf(email))
      .toEqual([
        ["account.created", false],
        ["account.closed", false],
      ]);
    const [closed] = await accountWebhooks(stripe, email);
    expect(closed?.data).toMatchObject({ status: "canceled", end_reason: "not-me" });

    for (const link of [verify, notMe]) {
      expect(await read(link)).toMatchObject({ status: 200, text: expect.stringContaining("This sign-up has ended") });
    }
    expect(await rowOf(api, email)).toMatchObject({ email_verified_at: null });
    expect((await trialOf(email)).row).toMatchObject({ status: "trialing" });
    expect((await read(notMe, { method: "POST" })).text).toContain("This sign-up has ended");
    expect(await rowOf(api, email)).toMatchObject({ status: "trialing" });
  });

  test("the card of a sign-up that was ended so still counts as used [H4] [H10]", async () => {
    const { notMe, card } = await trialOf("victim@example.com");
    await read(notMe, { method: "POST" });
    const { clientSecret } = await signUp(api, { email: "next-victim@example.com" });
    await enterCard(stripe.url, clientSecret, card);
    await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret));
    expect(await rowOf(api, "next-victim@example.com")).toMatchObject({ status: "pending", used_cards: 1 });
  });

  test.each([
    ["the answer to the subscription's cancellation is lost", "DELETE /v1/subscriptions/", "lose-answer"],
    ["the card cannot be detached", "POST /v1/payment_methods/", "500-before"],
  ] as const)("says so when %s, and the next press ends it [H4]", async (name, line, fault) => {
    const email = `press-${name.replaceAll(/\W+/g, "-")}@example.com`;
    const { notMe, paymentMethod } = await trialOf(email);
    proxy.breakAt(line, fault);
    const failed = await read(notMe, { method: "POST" });
    expect(failed).toMatchObject({ status: 503, text: expect.stringContaining("Something went wrong") });
    expect(failed.headers.get("retry-after")).toBe("60");
    expect(await rowOf(api, email)).toMatchObject({ end_reason: null });

    proxy.repair();
    expect((await read(notMe, { method: "POST" })).status).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "canceled", end_reason: "not-me" });
    expect((await stripeAt(stripe).paymentMethods.retrieve(paymentMethod)).customer).toBeNull();
  });

  test("a token that is changed, expired, of another purpose or another key does nothing but a line of log [H4] [G12]", async () => {
    const email = "tokens@example.com";
    const { row, verify, notMe } = await trialOf(email);
    const tokenOf = (url: string) => url.split("/").at(-1) ?? "";
    const [header, payload, signature = ""] = tokenOf(notMe).split(".");
    const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = base64[base64.indexOf(signature.at(-1) ?? "") ^ 1];
    const links = signedLinks({ publicUrl: api.url, secrets: [LINK_SECRET] });
    const stolen = signedLinks({ publicUrl: api.url, secrets: ["another-secret-of-enough-characters"] });
    const soon = new Date(Date.now() + 60_000);
    const id = String(row.id);
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = [
      tokenOf(verify),
      `${header}.${payload}.${signature.slice(0, -1)}${last}`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      tokenOf(await links.urlOf("status", id, soon)),
      tokenOf(await links.urlOf("not-me", id, new Date(Date.now() - 1000))),
      tokenOf(await stolen.urlOf("not-me", id, soon)),
      tokenOf(await links.urlOf("not-me", crypto.randomUUID(), soon)),
      "%00",
      "x".repeat(4000),
    ];
    const refused = () => api.logs.filter(({ event }) => event === "link_refused").length;
    const before = refused();
    for (const token of forged) {
      for (const method of ["GET", "POST"]) {
        expect((await read(`${api.url}/links/not-me/${token}`, { method })).status, token).toBe(404);
      }
    }
    for (const token of [tokenOf(notMe), tokenOf(await links.urlOf("status", id, soon)), "x"]) {
      expect((await read(`${api.url}/links/verify-email/${token}`)).status).toBe(404);
    }
    for (const token of [tokenOf(notMe), tokenOf(verify), "x"]) {
      expect((await read(`${api.url}/subscription/status/${token}`)).status).toBe(404);
    }
    await expect.poll(refused).toBe(before + 2 * forged.length + 6);
    expect(await rowOf(api, email)).toMatchObject({ status: "trialing", email_verified_at: null });
  });

  test("the token is in no log, nor the address [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("/links/not-me/:token");
    expect(log).not.toMatch(/eyJ|@|example\.com|Lovelace/);
  });
});
