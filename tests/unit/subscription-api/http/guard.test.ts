import { Hono, type MiddlewareHandler } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";
import { API_SECRET_HEADER, SENDER_HEADER } from "../../../../app/contract/site-headers";
import { readConfig } from "../../../../functions/subscription-api/config";
import type { ApiContext } from "../../../../functions/subscription-api/http/context";
import { atMost } from "../../../../functions/subscription-api/http/guard/body";
import { requireLocalHost } from "../../../../functions/subscription-api/http/guard/local-host";
import { limitSignUps } from "../../../../functions/subscription-api/http/guard/rate-limit";
import { requireSite } from "../../../../functions/subscription-api/http/guard/require-site";
import { requireTls } from "../../../../functions/subscription-api/http/guard/require-tls";
import { databaseInMemory } from "../../../support/api-in-process/database";
import { SETTINGS } from "../../../support/api-in-process/settings";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A production without a secret between site and API, unless `settings` have one. */
const PRODUCTION = { STRIPE_API_URL: undefined };
const SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";

/** Asks for what a guard lets through: the sender's key, and the length of the body. */
async function ask(guard: MiddlewareHandler<ApiContext>, request: Request, settings: Record<string, unknown> = {}) {
  const env = { ...SETTINGS, DB: databaseInMemory().d1, ...settings };
  const app = new Hono<ApiContext>();
  app.use(async (c, next) => {
    const config = readConfig(env);
    if (config.status === "valid") c.set("config", config.configuration);
    c.set("sender", "192.0.2.1");
    await next();
  });
  app.use(guard);
  app.all("/*", async (c) => c.text(`${c.var.sender}, ${(await c.req.arrayBuffer()).byteLength} bytes`));
  return app.request(request, undefined, env);
}

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  // Node sends a stream as a body only with it, and the types of Workers lack it.
  const duplex = { duplex: "half" };
  return new Request("https://api.example/subscription", { method: "POST", body, headers, ...duplex });
}

describe("a body of at most one KiB", () => {
  test("is refused when it has not arrived after ten seconds [H2]", async () => {
    vi.useFakeTimers();
    const slow = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    const asked = ask(atMost(1), post(slow));
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

  test("is refused when it breaks off [H2]", async () => {
    const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("The connection was lost")) });
    const answer = await ask(atMost(1), post(broken));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ title: "The body is incomplete" });
  });
});

describe("the limit of one sender's sign-ups", () => {
  const limiter = (limit: () => Promise<{ success: boolean }>) => ({ SIGNUP_RATE_LIMIT: { limit } });

  test("says when to come again [H1]", async () => {
    const answer = await ask(
      limitSignUps,
      post("{}"),
      limiter(async () => ({ success: false })),
    );
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(await answer.json()).toMatchObject({ title: "Too many requests" });
  });

  test("lets everybody pass while the limiter fails, and says so in the log", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = limiter(async () => {
      throw new RangeError("nothing of this is logged");
    });
    expect((await ask(limitSignUps, post("{}"), failing)).status).toBe(200);
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: "rate_limiter_failed", error: "RangeError" }),
    ]);
    expect(JSON.stringify(log.mock.calls)).not.toContain("nothing of this");
  });
});

describe("who may post sign-ups", () => {
  const from = (sender?: string) =>
    post("", { "cf-connecting-ip": "203.0.113.9", ...(sender !== undefined && { [SENDER_HEADER]: sender }) });

  test("without the secret the answer names the header, and the log has a line [H1]", async () => {
    const log = vi.spyOn(console, "warn").mockImplementation(() => {});
    const answer = await ask(requireSite("public"), from(), { SUBSCRIPTION_API_SECRET: SECRET });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(API_SECRET_HEADER);
    expect(await answer.json()).toMatchObject({ title: `The header ${API_SECRET_HEADER} is missing or wrong` });
    expect(log).toHaveBeenCalledOnce();
  });

  const OLD = "the-shared-secret-before-it-which-is-still-accepted";
  test.each([
    [200, "the secret", SECRET],
    [200, "the old one while it is changed", OLD],
    [401, "an empty one", ""],
    [401, "a shorter one", SECRET.slice(0, -1)],
    [401, "a longer one", `${SECRET}x`],
    [401, "one in capitals", SECRET.toUpperCase()],
    [401, "both", `${SECRET},${OLD}`],
  ])("is answered with %i for %s [H1] [G12]", async (status, _, secret) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const settings = { SUBSCRIPTION_API_SECRET: `${SECRET},${OLD}` };
    const answer = await ask(requireSite("public"), post("", { [API_SECRET_HEADER]: secret }), settings);
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain(SECRET);
  });

  test.each([
    ["198.51.100.7", "198.51.100.7"],
    ["2001:db8:1:2::/64", "2001:db8:1:2::/64"],
    [undefined, "203.0.113.9"],
    ["", "203.0.113.9"],
    ["a b", "203.0.113.9"],
    ["1".repeat(64), "1".repeat(64)],
    ["1".repeat(65), "203.0.113.9"],
  ])("the site names the sender %s; who counts is %s [H1]", async (named, counted) => {
    expect(await (await ask(requireSite("site"), from(named))).text()).toBe(`${counted}, 0 bytes`);
  });

  test("nobody else names a sender [H1]", async () => {
    expect(await (await ask(requireSite("public"), from("198.51.100.7"))).text()).toBe("203.0.113.9, 0 bytes");
  });
});

describe("https", () => {
  const withVisitor = (header?: string, scheme = "https") =>
    new Request(`${scheme}://api.example/`, { headers: header === undefined ? {} : { "cf-visitor": header } });

  test.each([
    [200, "no scheme of the visitor", withVisitor()],
    [200, "one that makes no sense", withVisitor("{")],
    [200, "one without a scheme", withVisitor("{}")],
    [200, "https", withVisitor('{"scheme":"https"}')],
    [403, "http", withVisitor('{"scheme":"http"}')],
    [403, "a claim of https over http", withVisitor('{"scheme":"https"}', "http")],
  ])("answers %i where Cloudflare names %s [H14]", async (status, _, request) => {
    expect((await ask(requireTls, request, PRODUCTION)).status).toBe(status);
  });

  test("is not asked for in local development", async () => {
    expect((await ask(requireTls, withVisitor(undefined, "http"))).status).toBe(200);
  });
});

describe("the settings of local development", () => {
  test("serve this machine alone, and the answer says so", async () => {
    expect((await ask(requireLocalHost, new Request("http://localhost:8788/"))).status).toBe(200);
    const elsewhere = await ask(requireLocalHost, new Request("https://api.example/"));
    expect(elsewhere.status).toBe(421);
    expect(await elsewhere.json()).toMatchObject({
      title: "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.",
    });
  });

  test("are no others", async () => {
    expect((await ask(requireLocalHost, new Request("https://api.example/"), PRODUCTION)).status).toBe(200);
  });
});
