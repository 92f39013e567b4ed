import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { rowOf } from "../../support/stripe/set-up-card";
import { sign } from "../../support/stripe/stripe-events";
import { sendRaw } from "../../support/visitors/raw-request";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, post, rows, signUp, stripeStateOf } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import {
  ORIGIN,
  startBackend,
  startSite,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";

/* What only a real connection shows: bodies as they arrive, the service binding, request IDs from end to end. */

const API_ORIGIN = "https://api.citewell.dev";
const STRIPE = "https://api.stripe.com";
const KIB = 1024;
const CHUNKED: [string, string] = ["Transfer-Encoding", "chunked"];

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

test.each([
  ["/subscription", 16],
  ["/webhooks/stripe", 256],
] as const)(
  "a body sent to %s is counted, whatever its Content-Length says: over %i KiB gives 413",
  async (path, kib) => {
    const body = " ".repeat(kib * KIB + 1);
    // Leaves the request open after the body, as somebody does who has more to send.
    const send = (headers: [string, string][]) =>
      sendRaw(api.url, {
        method: "POST",
        path,
        body,
        unfinished: true,
        headers: [["Content-Type", "application/json"], ...headers],
      });
    for (const length of ["2", String(kib * KIB)])
      for (const headers of [[CHUNKED], [CHUNKED, ["Content-Length", length]], [["Content-Length", length], CHUNKED]])
        expect((await send(headers as [string, string][])).status, length).toBe(413);
    const whole = await post(`${api.url}${path}`, body.slice(1), { "content-type": "application/json" });
    expect([400, 422]).toContain(whole.status);
  },
);

test("a signed event in chunks keeps its bytes, and so its signature", async () => {
  const event = JSON.stringify({
    id: "evt_1",
    type: "invoice.upcoming",
    data: { object: { text: "ä€😀".repeat(9_000) } },
  });
  const headers: [string, string][] = [CHUNKED, ["Stripe-Signature", sign(event)]];
  const send = (body: string) => sendRaw(api.url, { method: "POST", path: "/webhooks/stripe", headers, body });
  expect((await send(event)).status).toBe(200);
  expect((await send(event.slice(0, -1))).status).toBe(400);
});

test.each([
  [409, "due"],
  [200, "sent"],
])(
  "an endless answer with status %i from the email provider and the console is abandoned, and the message is %s",
  async (status, state) => {
    const provider = await startUpstream();
    let sent = 0;
    provider.answers((response) => {
      response.writeHead(status, { "Content-Type": "application/json", "Content-Length": "300000000" });
      const chunk = Buffer.alloc(64 * KIB, " ");
      const more = () => {
        while (!response.destroyed && sent < 300_000_000) {
          sent += chunk.byteLength;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
      };
      more();
    });
    const vars = { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` };
    const other = await startSubscriptionApi({ simulatorUrl: stripe.url, vars });
    const email = `endless-${status}@example.com`;
    const { clientSecret } = await signUp(other, { email }, email);
    await enterCard(stripe.url, clientSecret);
    // The same form again finds the card, and starts the trial.
    await signUp(other, { email }, email);
    const messages = "SELECT state, attempts FROM outbox WHERE kind <> 'trial-ending'";
    await expect.poll(() => rows(other, messages)).toEqual(Array(2).fill({ state, attempts: 1 }));
    expect(sent).toBeLessThan(32 * KIB * KIB);
    await other.dispose();
    provider.dispose();
  },
);

test("with the bindings of wrangler.toml the site reaches the API, the public does not, and emails go out", async () => {
  const simulator = await startStripeSimulator();
  const site = await startSite({
    environment: "production",
    vars: {
      ...{ SITE_URL: ORIGIN, SUBSCRIPTION_API_URL: API_ORIGIN },
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
      STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef0123",
    },
    beside: {
      folder: "functions/subscription-api",
      bundle: "subscription-api/index.js",
      environment: "production",
      vars: {
        STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
        STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef0123",
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
        LINK_SECRET: "signs-the-links-of-the-tests-of-a-deployment",
        HASH_SECRET: "keys-the-hashes-of-the-tests-of-a-deployment",
        CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      },
      miniflare: { outboundService: toSimulator(simulator) },
    },
  });
  await migrateDatabase(site.database);
  const visitor = siteVisitor(site, ORIGIN);
  expect((await visitor.submit({ email: "bound@example.com" }, { "CF-Connecting-IP": "2001:db8::1" })).status).toBe(
    303,
  );
  expect((await site.database.prepare("SELECT email FROM sign_ups").all()).results).toEqual([
    { email: "bound@example.com" },
  ]);
  const network = await (await site.mf.getWorker("citewell-subscription-api")).fetch(`${API_ORIGIN}/subscription`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(network.status).toBe(404);

  await site.database
    .prepare(
      `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)
       SELECT 'a key', id, 'card-used', '', '' FROM sign_ups`,
    )
    .run();
  await visitor.submit({ email: "another@example.com" });
  await expect.poll(() => site.said.join("\n")).toContain("Your Citewell trial has not started");
  for (const address of ["bound@example.com", "hello@citewell.example"])
    expect(site.said.join("\n")).toContain(address);
  expect(JSON.stringify(site.logs)).not.toContain("2001:db8");
  await Promise.all([site.dispose(), simulator.dispose()]);
});

test("one request ID connects the page with the logs, the row and Stripe's objects", async () => {
  const ray = "8f1e2d3c4b5a6979-FRA";
  const email = "supported@example.com";
  const STRIPE_JS_URL = `${stripe.url}/endive/stripe.js`;
  const site = await startSite({ vars: { SUBSCRIPTION_API_URL: api.url, STRIPE_API_URL: stripe.url, STRIPE_JS_URL } });
  const accepted = await siteVisitor(site).submit({ email }, { "CF-Ray": ray });
  expect(accepted.headers.get("x-request-id")).toBe(ray);
  const { id } = await rowOf(api, email);
  const line = { level: "info", event: "sign_up_accepted", request_id: ray, signUpId: id };
  await expect.poll(() => api.logs).toContainEqual(line);
  const { customers, setupIntents } = await stripeStateOf(stripe, email);
  const made = [...customers, ...setupIntents].map(({ metadata }) => metadata);
  expect(made).toMatchObject(Array(2).fill({ sign_up_id: id, request_id: ray }));
  expect(await rowOf(api, email)).toMatchObject({ request_id: ray });
  await site.dispose();
});

test.each(["\r\n folded", "\0"])("a request ID with %j adds no header and no log line", async (end) => {
  const lines = api.logs.length;
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  const head = `GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: first${end}\r\n\r\n`;
  socket.end(head, "latin1");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
  expect(answer).not.toMatch(/folded/);
  expect(JSON.stringify(api.logs.slice(lines))).not.toMatch(/folded|first[^"]/);
});

function toSimulator(stripe: { url: string }) {
  return async (request: Request): Promise<Response> => {
    if (!request.url.startsWith(STRIPE)) return new Response(null, { status: 599 });
    const { method, headers } = request;
    const body = method === "GET" || method === "DELETE" ? undefined : await request.text();
    const answer = await fetch(request.url.replace(STRIPE, stripe.url), {
      method,
      headers: [...headers].filter(([name]) =>
        /^(authorization|content-type|idempotency-key|stripe-version)$/i.test(name),
      ),
      ...(body !== undefined && { body }),
    });
    const type = answer.headers.get("content-type") ?? "application/json";
    return new Response(await answer.text(), { status: answer.status, headers: { "content-type": type } });
  };
}
