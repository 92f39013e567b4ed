import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { fastApi } from "../../support/fast-api/build";
import { startFaultyProxy } from "../../support/faults/faulty-proxy";
import { rowOf } from "../../support/stripe/set-up-card";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, mails, stripeStateOf, validRequest } from "../../support/visitors/visitor";
import { type DeployedApi, OPERATOR_TOKEN, startDeployedApi } from "../../support/workers/deployed-api";
import {
  type RunningWorker,
  runScheduled,
  startBackend,
  startSite,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";

/* TLS, the headers of every answer, and the request's id. */

const SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";
const HSTS = "max-age=63072000; includeSubDomains; preload";

describe("the API in production", () => {
  let deployed: DeployedApi;
  beforeAll(async () => {
    deployed = await startDeployedApi({ SUBSCRIPTION_API_SECRET: SECRET });
  });
  afterAll(() => deployed.dispose());

  const json = { "Content-Type": "application/json", "Subscription-Api-Secret": SECRET };
  const bearer = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const signUp = { method: "POST", headers: json, body: JSON.stringify(validRequest) };
  const requests: [string, string, RequestInit][] = [
    ["a sign-up", "/subscription", signUp],
    ["a webhook", "/webhooks/stripe", { method: "POST", body: "{}" }],
    ["an operator's command", "/operator/export", { method: "POST", headers: bearer, body: "{}" }],
    ["the health check", "/health", {}],
    ["an unknown path", "/nothing", {}],
  ];

  it.each(requests)("refuses %s over plain http [H14]", async (_name, path, init) => {
    const byScheme = await deployed.ask(path, { ...init, origin: "http://api.citewell.dev" });
    const forged = { ...init.headers, "X-Forwarded-Proto": "https", "CF-Visitor": '{"scheme":"https"}' };
    const byForgedScheme = await deployed.ask(path, { ...init, headers: forged, origin: "http://api.citewell.dev" });
    const localHost = await deployed.ask(path, { ...init, origin: "http://localhost:8788" });
    const byVisitor = await deployed.ask(path, {
      ...init,
      headers: { ...init.headers, "CF-Visitor": '{"scheme":"http"}' },
    });

    for (const answer of [byScheme, byForgedScheme, localHost, byVisitor]) {
      expect(answer.status).toBe(403);
      expect(answer.headers.get("location")).toBeNull();
      expect(await answer.text()).toContain("Only https is allowed");
    }
    expect(byScheme.headers.get("strict-transport-security")).toBeNull();
  });

  it.each(['{"scheme":"https"}', "{}", "nonsense", '{"scheme":1}', "null"])(
    "takes https with CF-Visitor %s [H14]",
    async (visitor) => {
      expect(
        (await deployed.ask("/operator/export", { method: "POST", headers: { "CF-Visitor": visitor } })).status,
      ).toBe(401);
    },
  );

  it("answers a sign-up with a status URL of the origin that was asked; nobody keeps what it tells [H1]", async () => {
    const body = JSON.stringify({ ...validRequest, email: "origin@example.com" });
    const answer = await deployed.ask("/subscription", { ...signUp, body, origin: "https://preview.citewell.dev" });
    const { status_url } = z.object({ status_url: z.url() }).parse(await answer.json());
    const { origin, pathname } = new URL(status_url);
    expect([origin, pathname.replace(/[^/]+$/, "")]).toEqual(["https://preview.citewell.dev", "/subscription/status/"]);
    const status = await deployed.ask(pathname, { headers: json });
    expect(await status.json()).toEqual({ status: "pending" });
    expect(status.headers.get("cache-control")).toBe("no-store");
  });

  it.each<[number, string, RequestInit]>([
    [200, "/subscription", signUp],
    [200, "/operator/export", { method: "POST", headers: bearer, body: '{"email":"a@example.com"}' }],
    [400, "/webhooks/stripe", { method: "POST", body: "{}" }],
    [401, "/subscription", { method: "POST", body: "{}" }],
    [401, "/operator/erase", { method: "POST", body: "{}" }],
    [404, "/nothing", {}],
    [405, "/subscription", { headers: json }],
    [405, "/webhooks/stripe", { method: "HEAD" }],
    [413, "/subscription", { ...signUp, body: "x".repeat(20_000) }],
    [415, "/subscription", { method: "POST", headers: { ...json, "Content-Type": "text/plain" }, body: "{}" }],
    [422, "/subscription", { ...signUp, body: "{}" }],
    [503, "/health", {}],
  ])("sends every security header with a %i of %s [H14]", async (status, path, init) => {
    const { status: actual, headers } = await deployed.ask(path, init);
    expect(actual).toBe(status);
    expect(headers.get("strict-transport-security")).toBe(HSTS);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    for (const name of ["access-control-allow-origin", "server", "x-powered-by"]) {
      expect(headers.has(name), name).toBe(false);
    }
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });
});

describe("the request's id", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    const backend = await startBackend(await fastApi());
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  const idsOf = (event: string) => api.logs.filter((line) => line.event === event).map(({ request_id: id }) => id);

  it("that the site gave is on every line that its request causes, and on the answer", async () => {
    const site = await startSite({ vars: { SUBSCRIPTION_API_URL: api.url } });
    const visitor = siteVisitor(site);
    const answer = await visitor.submit({ email: "traced@example.com" }, { "CF-Ray": "8f1e2d3c4b5a6978-FRA" });
    expect(answer.status).toBe(303);
    await expect.poll(() => idsOf("request")).toContain("8f1e2d3c4b5a6978-FRA");
    await site.dispose();
  });

  it("leads from the page to the logs, the row and Stripe's objects, and from there back [W1]", async () => {
    const ray = "8f1e2d3c4b5a6979-FRA";
    const email = "supported@example.com";
    const site = await startSite({
      vars: {
        SUBSCRIPTION_API_URL: api.url,
        STRIPE_API_URL: stripe.url,
        STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
      },
    });
    const visitor = siteVisitor(site);
    const accepted = await visitor.submit({ email }, { "CF-Ray": ray });
    expect(accepted.headers.get("x-request-id")).toBe(ray);
    const { id } = await rowOf(api, email);
    await expect
      .poll(() => api.logs)
      .toContainEqual({ level: "info", event: "sign_up_accepted", request_id: ray, signUpId: id });

    const { setupIntents } = await stripeStateOf(stripe, email);
    await enterCard(stripe.url, setupIntents[0]?.client_secret ?? "");
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    const { customers, subscriptions } = await stripeStateOf(stripe, email);
    const made = [...customers, ...setupIntents, ...subscriptions].map(({ metadata }) => metadata);
    expect(made).toMatchObject(Array.from({ length: 3 }, () => ({ sign_up_id: id, request_id: ray })));
    expect(await rowOf(api, email)).toMatchObject({ request_id: ray });

    const path = `/subscription/${validRequest.package_id}`;
    const told = await visitor.post("intent=card-set-up", { Cookie: accepted.cookie }, path);
    const done = await visitor.get(path, { Cookie: told.cookie });
    expect(done.text).toContain("Subscription Successful!");
    expect(done.text).toContain(`<code>${ray}</code>`);
    await site.dispose();
  });

  it("is on the notice of a form that the API did not take [W1]", async () => {
    const site = await startSite({ vars: { SUBSCRIPTION_API_URL: `${api.url}/nothing` } });
    const refused = await siteVisitor(site).submit({}, { "CF-Ray": "8f1e2d3c4b5a6980-FRA" });
    expect(refused.text).toContain("<code>8f1e2d3c4b5a6980-FRA</code>");
    await expect.poll(() => idsOf("request")).toContain("8f1e2d3c4b5a6980-FRA");
    await site.dispose();
  });

  it.each(["POST /v1/customers", "POST /v1/setup_intents"])(
    "stays that of the first request where %s is repeated with its idempotency key [W1]",
    async (call) => {
      const simulator = await startStripeSimulator();
      const proxy = await startFaultyProxy(simulator.url);
      const ours = await startSubscriptionApi({ simulatorUrl: proxy.url, ...(await fastApi()) });
      const post = (requestId: string) =>
        fetch(`${ours.url}/subscription`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "idempotency-key": "repeated",
            "x-request-id": requestId,
            connection: "close",
          },
          body: JSON.stringify(validRequest),
        }).then(({ status }) => status);
      const keys: (string | undefined)[] = [];
      proxy.watch(({ method, path, headers }) => {
        if (`${method} ${path}` === call) keys.push(headers["idempotency-key"]);
      });
      proxy.breakAt(call, "lose-answer");
      expect(await post("the-first")).toBe(503);
      proxy.repair();
      expect(await post("the-second")).toBe(200);
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(1);
      const { customers, setupIntents } = await stripeStateOf(simulator, validRequest.email);
      const made = [...customers, ...setupIntents].map(({ metadata }) => metadata?.request_id);
      expect(made).toEqual(["the-first", "the-first"]);
      await ours.dispose();
      await Promise.all([proxy.dispose(), simulator.dispose()]);
    },
  );

  it("is one for each run of the cron handler [W1]", async () => {
    api.logs.length = 0;
    for (const email of ["one@example.com", "two@example.com"]) {
      await fetch(`${api.url}/subscription`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ ...validRequest, email }),
      });
    }
    const db = await api.mf.getD1Database("DB");
    await db
      .prepare("UPDATE sign_ups SET check_at = '2026-01-01' WHERE email IN ('one@example.com', 'two@example.com')")
      .run();
    await runScheduled(api);
    await expect.poll(() => idsOf("sign_up_reconciled").length).toBeGreaterThanOrEqual(2);
    const ids = new Set(idsOf("sign_up_reconciled"));
    expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it("is on the lines of work after the answer", async () => {
    const id = "the-id-of-a-sign-up";
    const send = () =>
      fetch(`${api.url}/subscription`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": id, "x-request-id": id, connection: "close" },
        body: JSON.stringify({ ...validRequest, email: "late@example.com" }),
      });
    const first = await send();
    expect(first.headers.get("x-request-id")).toBe(id);
    const { client_secret } = JSON.parse(await first.text());
    await enterCard(stripe.url, client_secret);
    await expect.poll(() => mails(stripe, "late@example.com")).toHaveLength(1);
    await expect.poll(() => idsOf("message_sent").length).toBeGreaterThan(0);
    for (const event of ["event_processed", "trial_started", "message_sent"]) {
      expect(idsOf(event), event).toEqual(idsOf(event).filter((value) => typeof value === "string" && value !== ""));
    }
  });

  it.each([
    "",
    "a sentence",
    "x".repeat(65),
    '{"event":"trial_started"}',
    "a%0d%0aSet-Cookie:%20x=1",
    "<script>",
    "a,b",
    "ada@example.com",
  ])("that cannot be one is replaced: %j", async (given) => {
    const response = await fetch(`${api.url}/nothing`, { headers: { "x-request-id": given, connection: "close" } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    await response.text();
    if (given !== "") expect(JSON.stringify(api.logs)).not.toContain(JSON.stringify(given).slice(1, -1));
  });

  it.each(["\r\n folded", "\nSet-Cookie: x=1", "\0", "\u00e4"])(
    "with %j on the wire sets no header and no line of log",
    async (end) => {
      const lines = api.logs.length;
      const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
      socket.end(
        `GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: first${end}\r\n\r\n`,
        "latin1",
      );
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
      expect(answer).not.toMatch(/folded|^set-cookie/im);
      expect(JSON.stringify(api.logs.slice(lines))).not.toMatch(/folded|Set-Cookie|first[^"]/);
    },
  );
});
