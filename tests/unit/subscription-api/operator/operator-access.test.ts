import { describe, expect, test } from "vitest";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { apiInProcess } from "../../../support/api-in-process/api";

const OWN = "http://localhost:8788";
const EVIL = "https://evil.example";
const BEARER = { authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}` };
/** What a browser sends by itself once the operator has logged in. */
const BASIC = { authorization: `Basic ${btoa(`anybody:${LOCAL_SECRETS.OPERATOR_TOKEN}`)}` };
const JSON_BODY = { "content-type": "application/json" };
const COMMANDS = ["export", "erase", "catalog", "after-restore"];

/** A limiter as the binding is: `limit` requests of a key. */
function limiterOf(limit: number) {
  const counts = new Map<string, number>();
  return {
    async limit({ key }: { key: string }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= limit };
    },
  };
}

/** An API with one sign-up, and what became of it. */
async function withSignUp(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  await api.signUp({ email: "victim@example.com" });
  const send = (command: string, headers: Record<string, string>, body = '{"email":"victim@example.com"}') =>
    api.ask(`/operator/${command}`, { method: "POST", headers, body });
  return { ...api, send, left: () => api.rows("SELECT email FROM sign_ups").length };
}

describe("an operator command", () => {
  test("is refused as a text/plain form from another site with the browser's password [H29]", async () => {
    const { send, left, logged } = await withSignUp();
    const form = { ...BASIC, "content-type": "text/plain", origin: EVIL, "sec-fetch-site": "cross-site" };
    const answer = await send("erase", form, '{"email":"victim@example.com","x":"="}\r\n');
    expect(answer.status).toBe(403);
    expect(left()).toBe(1);
    expect(logged).toContainEqual(expect.objectContaining({ event: "operator_foreign_origin" }));
  });

  test.each<[string, Record<string, string>, number]>([
    ["from another site, even with the token,", { ...BEARER, ...JSON_BODY, origin: EVIL }, 403],
    ["from a sibling subdomain", { ...BEARER, ...JSON_BODY, "sec-fetch-site": "same-site" }, 403],
    ["from a page without an origin", { ...BEARER, ...JSON_BODY, origin: "null" }, 403],
    ["from the same host over another scheme", { ...BEARER, ...JSON_BODY, origin: "https://localhost:8788" }, 403],
    ["with the browser's password", { ...BASIC, ...JSON_BODY }, 401],
    ["with the browser's password from the API's own page", { ...BASIC, ...JSON_BODY, origin: OWN }, 401],
    ["without credentials", JSON_BODY, 401],
    ["as plain text", { ...BEARER, "content-type": "text/plain" }, 415],
    ["as a form", { ...BEARER, "content-type": "application/x-www-form-urlencoded" }, 415],
    ["with a type that only begins like JSON", { ...BEARER, "content-type": "application/json-seq" }, 415],
  ])("sent %s is refused and does nothing [H29]", async (_, headers, status) => {
    const { send, left, calls, logged } = await withSignUp();
    for (const command of COMMANDS) {
      const answer = await send(command, headers);
      expect(answer.status).toBe(status);
      expect(await answer.text()).not.toContain("victim");
    }
    expect(left()).toBe(1);
    expect(calls).toEqual([]);
    const refusals = logged.filter(({ event }) => event === "operator_refused");
    expect(refusals).toHaveLength(status === 401 ? COMMANDS.length : 0);
  });

  test("is accepted as JSON with a bearer token, as npm run erase sends it", async () => {
    const { send, left } = await withSignUp();
    const answer = await send("erase", { ...BEARER, "content-type": "application/json; charset=utf-8" });
    expect(await answer.json()).toEqual({ erased: 1, customers: 0 });
    expect(left()).toBe(0);
  });
});

test.each([
  ["GET", "/operator"],
  ["GET", "/operator/send-again?all=dead"],
  ["POST", "/operator/send-again"],
  ["GET", "/operator/nowhere"],
])("%s %s from another site is refused, even with the browser's password [H29] [W6]", async (method, path) => {
  const { ask } = apiInProcess();
  for (const [name, value] of [
    ["sec-fetch-site", "cross-site"],
    ["sec-fetch-site", "same-site"],
    ["origin", EVIL],
  ] as const) {
    const headers = { ...BASIC, [name]: value };
    expect((await ask(path, { method, headers })).status).toBe(403);
  }
});

test.each<[string, string, Record<string, string>, number]>([
  ["a link, and Cloudflare Access after its login, open the page", "GET", { "sec-fetch-dest": "document" }, 200],
  ["a frame does not", "GET", { "sec-fetch-dest": "iframe" }, 403],
  ["a form that posts does not", "POST", { "sec-fetch-dest": "document" }, 403],
  ["a form with an origin does not", "GET", { "sec-fetch-dest": "document", origin: EVIL }, 403],
])("reached from another site: %s [H29]", async (_, method, given, status) => {
  const headers = { ...BASIC, ...given, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  expect((await apiInProcess().ask("/operator", { method, headers })).status).toBe(status);
});

describe("the operator's rate limit", () => {
  const settings = () => ({ OPERATOR_RATE_LIMIT: limiterOf(60) });
  const wrong = { authorization: "Basic YW55Ym9keTp3cm9uZw==" };

  test.each<[string, Record<string, string>, number]>([
    ["images on another site, with the browser's password", { ...BASIC, "sec-fetch-site": "cross-site" }, 403],
    ["images on another site, in an old browser that has no password yet", { accept: "image/*" }, 401],
    ["requests with another kind of authorization", { authorization: "Digest x" }, 401],
  ])("is not used up by 70 %s [H29]", async (_, headers, status) => {
    const { ask } = apiInProcess({ settings: settings() });
    for (let image = 0; image < 70; image += 1) expect((await ask("/operator", { headers })).status).toBe(status);
    expect((await ask("/operator", { headers: BASIC })).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ["a wrong password", wrong],
    ["a wrong token", { authorization: "Bearer wrong" }],
  ])(
    "locks out the client's network after ten times %s, even with the right token, and nobody else [H1]",
    async (_, headers) => {
      const { ask, logged } = apiInProcess({ settings: settings() });
      const from = (given: Record<string, string>, ip: string) =>
        ask("/operator", { headers: { ...given, "cf-connecting-ip": ip, "subscription-sender": crypto.randomUUID() } });
      const statuses: number[] = [];
      for (let guess = 0; guess < 11; guess += 1) statuses.push((await from(headers, `2001:db8::${guess}`)).status);
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
      const locked = await from(BASIC, "2001:db8::1:1");
      expect([locked.status, locked.headers.get("retry-after")]).toEqual([429, "60"]);
      expect((await from(BASIC, "192.0.2.7")).status).toBe(200);
      expect(logged).toContainEqual(expect.objectContaining({ event: "operator_locked_out" }));
    },
  );
});
