import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test, vi } from "vitest";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { answersOf, apiInProcess, type Upstream } from "../../../support/api-in-process/api";
import { stopClock } from "../../../support/api-in-process/clock";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();

stopClock(NOW);

const basic = (password: string) => ({ authorization: `Basic ${btoa(`anybody:${password}`)}` });

function operating(other: Upstream = () => Response.json({ data: [] }), settings: Record<string, unknown> = {}) {
  const upstream: Upstream = (url, request) =>
    url.pathname === "/emails" ? answersOf(api.model)(url, request) : other(url, request);
  const api = apiInProcess({ upstream, settings });
  const ask = (path = "", init: { method?: string; headers?: Record<string, string>; body?: URLSearchParams } = {}) =>
    api.ask(`/operator${path}`, {
      ...init,
      headers: { accept: "text/html", ...basic(LOCAL_SECRETS.OPERATOR_TOKEN), ...init.headers },
    });
  return {
    ...api,
    ask,
    page: async (path = "") => (await ask(path)).text(),
    /** Presses the button of the page that asks back, as a browser does. */
    async confirm(fields: Record<string, string>) {
      const headers = { origin: "http://localhost:8788" };
      const answer = await ask("/send-again", { method: "POST", body: new URLSearchParams(fields), headers });
      await api.settled();
      return { status: answer.status, location: answer.headers.get("location") };
    },
    async message(key: string, state: string, attempts: number, nextIn: number) {
      const { id } = await api.signUp();
      api.rows(
        `INSERT INTO outbox (key, sign_up_id, kind, state, attempts, next_attempt_at, created_at)
         VALUES (?, ?, 'card-used', ?, ?, ?, ?)`,
        ...[key, id, state, attempts, at(nextIn), at(0)],
      );
    },
    stateOf: (key: string) => api.rows("SELECT state, attempts FROM outbox WHERE key = ?", key)[0],
    mailsSent: () => api.calls.filter((call) => call.endsWith("/emails")).length,
  };
}

test("the operator's page opens with the token as the browser's password, and asks for it otherwise [G12]", async () => {
  const { ask } = operating();
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

test("the operator's page opens for users of Cloudflare Access, who cannot run commands, and for no other token [G12] [H29]", async () => {
  vi.useRealTimers();
  const [TEAM, AUDIENCE] = ["https://team-of-this-test.example", "0123456789abcdef".repeat(4)];
  const [{ publicKey, privateKey }, stranger] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }] };
  const { ask } = operating(() => Response.json(keys), { ACCESS_URL: TEAM, ACCESS_AUDIENCE: AUDIENCE });
  const tokenOf = (change: { issuer?: string; audience?: string; endsIn?: number; signer?: CryptoKey } = {}) => {
    const { issuer = TEAM, audience = AUDIENCE, endsIn = 60, signer = privateKey } = change;
    return new SignJWT({ email: "operator@example.com" })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setSubject("3ecbb2d5-access-user")
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(Math.floor(Date.now() / 1000) + endsIn)
      .sign(signer);
  };
  const statusWith = async (token: string, path = "", method = "GET") => {
    const headers = { authorization: "", "cf-access-jwt-assertion": token, "content-type": "application/json" };
    return (await ask(path, { method, headers })).status;
  };
  expect(await statusWith(await tokenOf())).toBe(200);
  for (const other of [
    await tokenOf({ endsIn: -60 }),
    await tokenOf({ audience: "f".repeat(64) }),
    await tokenOf({ issuer: "https://other.cloudflareaccess.com" }),
    await tokenOf({ signer: stranger.privateKey }),
    "no token",
  ])
    expect(await statusWith(other)).toBe(401);
  // A browser sends the cookie of Access by itself.
  for (const command of ["/export", "/erase", "/catalog"])
    expect(await statusWith(await tokenOf(), command, "POST")).toBe(401);
});

test("the operator's page counts each day's sign-ups by status, without names [W5]", async () => {
  const { signUp, rows, page } = operating();
  for (const [count, status, age] of [
    [3, "pending", MINUTE],
    [2, "trialing", MINUTE],
    [4, "trialing", 3 * DAY],
    [7, "canceled", 40 * DAY],
  ] as const) {
    for (let n = 0; n < count; n += 1) {
      const { id } = await signUp({ email: `${status}-${age}-${n}@example.com` });
      rows("UPDATE sign_ups SET status = ?, created_at = ? WHERE id = ?", status, at(-age), id);
    }
  }
  const shown = await page();
  const countsOf = (day: string) => {
    const row = new RegExp(`<th scope="row">${day}</th>(.*?)</tr>`).exec(shown)?.[1] ?? "";
    return [...row.matchAll(/<td>(\d+)<\/td>/g)].map(([, count]) => Number(count));
  };
  const names = ["Waiting for a card", "Card set up", "On trial", "Active", "Payment overdue", "Canceled", "Ended"];
  expect([...shown.matchAll(/<th scope="col">([^<]*)/g)].map(([, name]) => name).slice(0, 8)).toEqual([
    "Day",
    ...names,
  ]);
  expect(countsOf("2026-11-22")).toEqual([3, 0, 2, 0, 0, 0, 0]);
  expect(countsOf("2026-11-19")).toEqual([0, 0, 4, 0, 0, 0, 0]);
  expect(shown.match(/<th scope="row">\d{4}-/g)).toHaveLength(30);
  expect(shown.match(/<rect [^>]*><title>/g)).toHaveLength(3);
  expect(shown).not.toContain("@example.com");
});

test("the operator's page shows the count of each funnel step, and says when it cannot be read [W5]", async () => {
  const counted = [
    { step: "plan_viewed", n: "3" },
    { step: "paid", n: 1 },
  ];
  const shown = await operating(() => Response.json({ data: counted })).page();
  const figureOf = (step: string) => new RegExp(`>${step}</th><td>(\\d+)<`).exec(shown)?.[1];
  expect(["Plans viewed", "Trial started", "First payment"].map(figureOf)).toEqual(["3", "0", "1"]);

  const { page, logged } = operating(() => Response.json({}, { status: 500 }));
  expect(await page()).toContain("Analytics Engine did not answer.");
  expect(logged).toContainEqual(expect.objectContaining({ event: "funnel_unreadable" }));
});

describe("failed and waiting messages", () => {
  test("are listed and, once confirmed, resent; the log says by whom [W6]", async () => {
    const { message, page, confirm, stateOf, mailsSent, logged } = operating();
    await message("given-up", "dead", 15, -MINUTE);
    await message("retried", "due", 4, 10 * MINUTE);
    await message("not-taken", "due", 0, -10 * MINUTE);
    await message("tomorrow", "due", 0, DAY);
    const shown = await page();
    expect(shown).toContain("1 failed.");
    for (const key of ["given-up", "retried", "not-taken"]) expect(shown).toContain(`aria-label="Resend ${key}"`);
    expect(shown).not.toContain("tomorrow");

    expect(await page("/send-again?key=given-up")).toContain("<h1>Resend this message?</h1>");
    expect(stateOf("given-up")).toEqual({ state: "dead", attempts: 15 });

    expect(await confirm({ key: "given-up" })).toEqual({ status: 303, location: "/operator?sent-again=1" });
    expect(stateOf("given-up")).toEqual({ state: "sent", attempts: 1 });
    expect(mailsSent()).toBe(2);
    const line = { event: "messages_sent_again", count: 1, operator: "token" };
    expect(logged).toContainEqual(expect.objectContaining(line));
    expect(await page("?sent-again=1")).toContain("Resending 1 message.");

    expect((await confirm({ key: "retried" })).location).toBe("/operator?sent-again=1");
    expect(stateOf("retried")).toEqual({ state: "sent", attempts: 1 });
    for (const key of ["given-up", "no-such-message"])
      expect((await confirm({ key })).location).toBe("/operator?sent-again=0");
  });

  test("can be resent all at once [W6]", async () => {
    const { message, page, confirm, stateOf } = operating();
    for (const key of ["first", "second"]) await message(key, "dead", 15, -MINUTE);
    expect(await page("/send-again?all=dead")).toContain("2 messages.");
    expect((await confirm({ all: "dead" })).location).toBe("/operator?sent-again=2");
    for (const key of ["first", "second"]) expect(stateOf(key)).toEqual({ state: "sent", attempts: 1 });
  });
});
