import { afterEach, describe, expect, test, vi } from "vitest";
import { API_SECRET_HEADER, SENDER_HEADER } from "../../../../app/contract/site-headers";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";

afterEach(() => {
  vi.useRealTimers();
});

const SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";
const OLD = "the-shared-secret-before-it-which-is-still-accepted";
const JSON_BODY = { "content-type": "application/json" };
/** How a form without fields is answered, once all guards have let it through. */
const PASSED = 422;

/** An API of production, and the keys by which its limiter of sign-ups counted. */
function production(settings: Record<string, unknown> = {}) {
  const counted: string[] = [];
  const limit = async ({ key }: { key: string }) => {
    counted.push(key);
    return { success: true };
  };
  const api = apiInProcess({ settings: { ...DEPLOYED, SIGNUP_RATE_LIMIT: { limit }, ...settings } });
  const post = (entrypoint: "public" | "site", headers: Record<string, string> = {}, body: BodyInit = "{}") => {
    // Node sends a stream as a body only with it, and the types of Workers lack it.
    const init = { method: "POST", headers: { ...JSON_BODY, ...headers }, body, ...{ duplex: "half" } };
    return api.ask("https://api.example/subscription", init, entrypoint);
  };
  return { ...api, counted, post };
}

test("a body that takes longer than ten seconds is refused [H2]", async () => {
  vi.useFakeTimers();
  const slow = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
  const asked = production().post("site", {}, slow);
  let answered = false;
  void asked.then(() => {
    answered = true;
  });
  await vi.advanceTimersByTimeAsync(9_900);
  expect(answered).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  const answer = await asked;
  expect(answer.status).toBe(408);
  expect(await answer.json()).toMatchObject({ title: "The body did not arrive in time" });
});

test("a body that breaks off is refused [H2]", async () => {
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("The connection was lost")) });
  const answer = await production().post("site", {}, broken);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ title: "The body is incomplete" });
});

describe("the rate limit for sign-ups", () => {
  test("gives the time of the next attempt before reading a body, and ignores status requests [H1]", async () => {
    const { ask, post } = production({ SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } });
    const answer = await post("site", {}, "x".repeat(20_000));
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(await answer.json()).toMatchObject({ title: "Too many requests" });
    expect((await ask("https://api.example/subscription/status/a-token", {}, "site")).status).toBe(404);
  });

  test("lets everybody pass and logs an error while the limiter fails", async () => {
    const limit = () => Promise.reject(new RangeError("nothing of this is logged"));
    const { post, logged } = production({ SIGNUP_RATE_LIMIT: { limit } });
    expect((await post("site")).status).toBe(PASSED);
    expect(logged).toContainEqual(expect.objectContaining({ event: "rate_limiter_failed", error: "RangeError" }));
    expect(JSON.stringify(logged)).not.toContain("nothing of this");
  });
});

describe("the right to post sign-ups and request their status", () => {
  const SUBSCRIPTION_API_SECRET = `${SECRET},${OLD}`;

  test.each([
    [PASSED, "the secret", SECRET],
    [PASSED, "the old one while it is changed", OLD],
    [401, "an empty one", ""],
    [401, "a shorter one", SECRET.slice(0, -1)],
    [401, "a longer one", `${SECRET}x`],
    [401, "one in capitals", SECRET.toUpperCase()],
    [401, "both", SUBSCRIPTION_API_SECRET],
  ])("gives %i to a request with %s [H1] [G12]", async (status, _, secret) => {
    const { post, logged } = production({ SUBSCRIPTION_API_SECRET });
    const answer = await post("public", { [API_SECRET_HEADER]: secret });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? API_SECRET_HEADER : null);
    expect(await answer.text()).not.toContain(SECRET);
    expect(logged.filter(({ event }) => event === "site_refused")).toHaveLength(status === 401 ? 1 : 0);
  });

  test("belongs to the site only, through its service binding without a secret [H1]", async () => {
    const { ask, post } = production({ SUBSCRIPTION_API_SECRET });
    const refused = await ask("https://api.example/subscription/status/a-token");
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ title: `The header ${API_SECRET_HEADER} is missing or wrong` });
    expect((await ask("https://api.example/subscription/status/a-token", {}, "site")).status).toBe(404);
    expect((await post("site")).status).toBe(PASSED);
  });

  test.each([
    ["198.51.100.7", "198.51.100.7"],
    ["2001:db8:1:2::/64", "2001:db8:1:2::/64"],
    [undefined, "203.0.113.9"],
    ["", "203.0.113.9"],
    ["a b", "203.0.113.9"],
    ["1".repeat(64), "1".repeat(64)],
    ["1".repeat(65), "203.0.113.9"],
  ])(
    "lets the site name the client %s, so the limit counts %s; nobody else may name one [H1]",
    async (named, expected) => {
      const { post, counted } = production({ SUBSCRIPTION_API_SECRET });
      const headers = { "cf-connecting-ip": "203.0.113.9", ...(named !== undefined && { [SENDER_HEADER]: named }) };
      await post("site", headers);
      await post("public", { ...headers, [API_SECRET_HEADER]: SECRET });
      expect(counted).toEqual([expected, expected]);
    },
  );

  test("belongs to everybody in local development, where a client's own name is ignored [H1]", async () => {
    const counted: string[] = [];
    const limit = async ({ key }: { key: string }) => ({ success: counted.push(key) > 0 });
    const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } });
    const headers = { ...JSON_BODY, "cf-connecting-ip": "203.0.113.9", [SENDER_HEADER]: "198.51.100.7" };
    await ask("http://localhost:8788/subscription", { method: "POST", headers, body: "{}" });
    expect(counted).toEqual(["203.0.113.9"]);
  });
});

describe("https", () => {
  test.each<[number, string, string | undefined, string]>([
    [405, "no scheme of the visitor", undefined, "https"],
    [405, "one that makes no sense", "{", "https"],
    [405, "one without a scheme", "{}", "https"],
    [405, "https", '{"scheme":"https"}', "https"],
    [403, "http", '{"scheme":"http"}', "https"],
    [403, "a claim of https over http", '{"scheme":"https"}', "http"],
  ])("gives %i when Cloudflare reports %s [H14]", async (status, _, visitor, scheme) => {
    const headers: Record<string, string> = visitor === undefined ? {} : { "cf-visitor": visitor };
    expect((await production().ask(`${scheme}://api.example/subscription`, { headers }, "site")).status).toBe(status);
  });

  test("is required at each entrypoint and path, but not in local development [H14]", async () => {
    for (const entrypoint of ["public", "site"] as const)
      for (const path of ["/health", "/subscription", "/nowhere"])
        expect((await production().ask(`http://api.example${path}`, {}, entrypoint)).status).toBe(403);
    expect((await apiInProcess().ask("http://localhost:8788/subscription")).status).toBe(405);
  });
});

test("a public entrypoint with local settings serves this machine only, and the response says so [H14]", async () => {
  const { ask } = apiInProcess();
  const elsewhere = await ask("https://api.example/subscription");
  expect(elsewhere.status).toBe(421);
  expect(await elsewhere.json()).toMatchObject({
    title: "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.",
  });
  expect((await ask("https://api.example/health")).status).toBe(421);
  expect((await ask("https://api.example/subscription", {}, "site")).status).toBe(405);
  expect((await production().ask("https://api.example/subscription")).status).toBe(404);
});
