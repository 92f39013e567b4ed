import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { insertSignUps } from "../../support/database/full-database";
import { fastApi } from "../../support/fast-api/build";
import { mails, rows } from "../../support/visitors/visitor";
import { startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

/** The local token (functions/subscription-api/wrangler.toml). */
const TOKEN = "only-for-local-development-never-for-a-deployment";
const AUDIENCE = "0123456789abcdef".repeat(4);
const DAY = 24 * 60 * 60;

const basic = (password: string) => ({ authorization: `Basic ${btoa(`anybody:${password}`)}` });

describe("the operator's page", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let access: Upstream;
  let tokenFor: (
    claims?: { issuer?: string; audience?: string; endsIn?: number },
    signer?: CryptoKey,
  ) => Promise<string>;
  let strangersKey: CryptoKey;
  beforeAll(async () => {
    access = await startUpstream();
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    strangersKey = (await generateKeyPair("RS256")).privateKey;
    access.answersJson(200, { keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }] });
    tokenFor = ({ issuer = access.url, audience = AUDIENCE, endsIn = 60 } = {}, signer = privateKey) =>
      new SignJWT({ email: "operator@example.com" })
        .setProtectedHeader({ alg: "RS256", kid: "one" })
        .setSubject("3ecbb2d5-access-user")
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(Math.floor(Date.now() / 1000) + endsIn)
        .sign(signer);
    stripe = await startStripeSimulator();
    api = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { ACCESS_URL: access.url, ACCESS_AUDIENCE: AUDIENCE },
      ...(await fastApi()),
    });
  });
  afterEach(() => rows(api, "DELETE FROM sign_ups"));
  afterAll(async () => {
    await Promise.all([api.dispose(), stripe.dispose()]);
    access.dispose();
  });

  const ask = (path = "", init: RequestInit = {}) =>
    fetch(`${api.url}/operator${path}`, {
      redirect: "manual",
      ...init,
      headers: { accept: "text/html", ...basic(TOKEN), ...(init.headers as Record<string, string> | undefined) },
    });
  const page = async () => (await ask()).text();
  /** Presses the button of the page that asks back, as a browser does. */
  const confirm = (fields: Record<string, string>, headers: Record<string, string> = { origin: api.url }) =>
    ask("/send-again", { method: "POST", body: new URLSearchParams(fields), headers });
  const message = (key: string, state: string, attempts: number, nextIn: number) =>
    rows(
      api,
      `INSERT INTO outbox (key, sign_up_id, kind, state, attempts, next_attempt_at, created_at)
       SELECT ?, id, 'card-used', ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ? || ' seconds'), created_at FROM sign_ups`,
      key,
      state,
      attempts,
      nextIn,
    );
  const stateOf = async (key: string) => (await rows(api, "SELECT state, attempts FROM outbox WHERE key = ?", key))[0];

  it("is shown for the token as a browser's password, and asks for it without one [G12]", async () => {
    const shown = await ask();
    expect(shown.status).toBe(200);
    expect(shown.headers.get("cache-control")).toBe("no-store");
    expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const headers of [{ authorization: "" }, basic("wrong"), basic("")]) {
      const refused = await ask("", { headers });
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toBe('Basic realm="Operator", charset="UTF-8"');
      expect(await refused.text()).not.toContain("Sign-ups");
    }
  });

  it("is shown to whom Cloudflare Access has let through, and to nobody with another token [G12]", async () => {
    const withToken = (token: string) => ask("", { headers: { authorization: "", "cf-access-jwt-assertion": token } });
    expect((await withToken(await tokenFor())).status).toBe(200);
    const refused = [
      "no token",
      await tokenFor({ endsIn: -60 }),
      await tokenFor({ audience: "f".repeat(64) }),
      await tokenFor({ issuer: "https://other.cloudflareaccess.com" }),
      await tokenFor({}, strangersKey),
    ];
    for (const token of refused) expect((await withToken(token)).status).toBe(401);
  });

  it("counts the sign-ups of each day by their status, as the database has them [W5]", async () => {
    await insertSignUps(
      api,
      { count: 3, from: 1, status: "pending", createdIn: -60 },
      { count: 2, from: 10, status: "trialing", createdIn: -60 },
      { count: 4, from: 20, status: "trialing", createdIn: -3 * DAY },
      { count: 7, from: 40, status: "canceled", createdIn: -40 * DAY },
    );
    const shown = await page();
    const rowOf = (ago: number) => {
      const day = new Date(Date.now() - 60_000 - ago * DAY * 1000).toISOString().slice(0, 10);
      const row = new RegExp(`<th scope="row">${day}</th>(.*?)</tr>`).exec(shown)?.[1] ?? "";
      return [...row.matchAll(/<td>(\d+)<\/td>/g)].map(([, count]) => Number(count));
    };
    // pending, active, trialing, past_due, canceled, superseded
    expect(rowOf(0)).toEqual([3, 0, 2, 0, 0, 0]);
    expect(rowOf(3)).toEqual([0, 0, 4, 0, 0, 0]);
    expect(shown.match(/<th scope="row">\d{4}-/g)).toHaveLength(30);
    expect(shown.match(/<rect [^>]*><title>/g)).toHaveLength(3);
    expect(shown).not.toContain("person-1@example.com");
  });

  it("shows how often each step of the funnel was counted, and says when that cannot be read [W5]", async () => {
    const count = (step: string) =>
      fetch(`${stripe.url}/funnel`, { method: "POST", body: JSON.stringify({ step, package: "none", field: "none" }) });
    for (const step of ["plan_viewed", "plan_viewed", "plan_viewed", "paid"]) await count(step);
    const figureOf = (step: string, shown: string) => new RegExp(`>${step}</th><td>(\\d+)<`).exec(shown)?.[1];
    const shown = await page();
    expect(["plan_viewed", "trial", "paid"].map((step) => figureOf(step, shown))).toEqual(["3", "0", "1"]);

    const elsewhere = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { FUNNEL_SQL_URL: `${stripe.url}/no-such-thing` },
      ...(await fastApi()),
    });
    const answer = await fetch(`${elsewhere.url}/operator`, { headers: basic(TOKEN) });
    expect(await answer.text()).toContain("Analytics Engine did not answer.");
    expect(elsewhere.logs).toContainEqual(expect.objectContaining({ event: "funnel_unreadable" }));
    await elsewhere.dispose();
  });

  it("shows what is late or was given up, asks back, and sends it again; the log says who [W6]", async () => {
    await insertSignUps(api, { count: 1, from: 1, status: "pending", createdIn: -60 });
    await message("given-up", "dead", 15, -60);
    await message("retried", "due", 4, 600);
    await message("not-taken", "due", 0, -600);
    await message("tomorrow", "due", 0, DAY);
    const shown = await page();
    expect(shown).toContain("1 given up.");
    for (const key of ["given-up", "retried", "not-taken"]) expect(shown).toContain(`aria-label="Send ${key} again"`);
    expect(shown).not.toContain("tomorrow");

    const question = await (await ask("/send-again?key=given-up")).text();
    expect(question).toContain("<h1>Send this message again?</h1>");
    expect(await stateOf("given-up")).toEqual({ state: "dead", attempts: 15 });

    const answer = await confirm({ key: "given-up" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/operator?sent-again=1"]);
    await expect.poll(() => stateOf("given-up")).toEqual({ state: "sent", attempts: 1 });
    expect((await mails(stripe, "person-1@example.com")).length).toBeGreaterThan(0);
    expect(api.logs).toContainEqual(
      expect.objectContaining({ event: "messages_sent_again", count: 1, operator: "token" }),
    );
    expect(await (await ask("?sent-again=1")).text()).toContain("1 message is sent again.");

    expect((await confirm({ key: "retried" })).headers.get("location")).toBe("/operator?sent-again=1");
    await expect.poll(() => stateOf("retried")).toEqual({ state: "sent", attempts: 1 });
    for (const key of ["given-up", "no-such-message"]) {
      expect((await confirm({ key })).headers.get("location")).toBe("/operator?sent-again=0");
    }
  });

  it("sends all again that were given up [W6]", async () => {
    await insertSignUps(api, { count: 1, from: 1, status: "pending", createdIn: -60 });
    await message("first", "dead", 15, -60);
    await message("second", "dead", 15, -60);
    expect(await (await ask("/send-again?all=dead")).text()).toContain("2 messages.");
    expect((await confirm({ all: "dead" })).headers.get("location")).toBe("/operator?sent-again=2");
    await expect.poll(() => stateOf("first")).toEqual({ state: "sent", attempts: 1 });
    await expect.poll(() => stateOf("second")).toEqual({ state: "sent", attempts: 1 });
  });

  it("does nothing for a form of another site, which the browser sends with the password [W6]", async () => {
    await insertSignUps(api, { count: 1, from: 1, status: "pending", createdIn: -60 });
    await message("given-up", "dead", 15, -60);
    const foreign = await confirm(
      { key: "given-up" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    );
    expect(foreign.status).toBe(403);
    expect(await stateOf("given-up")).toEqual({ state: "dead", attempts: 15 });
  });
});
