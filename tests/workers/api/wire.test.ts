import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { sign } from "../../support/stripe/stripe-events";
import { sendRaw } from "../../support/visitors/raw-request";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, post, rowOf, rows, signUp, stripeStateOf, validRequest } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import {
  API,
  DEPLOYED,
  ORIGIN,
  startBackend,
  startSite,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";
import { liesAboutItsLength } from "../flood";

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
])("a body sent to %s is counted, whatever its Content-Length says: over %i KiB gives 413", async (path, kib) => {
  const body = " ".repeat(kib * KIB + 1);
  const type: [string, string] = ["Content-Type", "application/json"];
  for (const length of ["2", String(kib * KIB)]) {
    const named: [string, string] = ["Content-Length", length];
    for (const headers of [[CHUNKED], [CHUNKED, named], [named, CHUNKED]]) {
      // Leaves the request open after the body, as somebody does who has more to send.
      const request = { method: "POST", path, body, unfinished: true, headers: [type, ...headers] };
      expect((await sendRaw(api.url, request)).status, length).toBe(413);
    }
  }
  const whole = await post(`${api.url}${path}`, body.slice(1), { "content-type": "application/json" });
  expect([400, 422]).toContain(whole.status);
});

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
])("an endless answer with status %i to a message is abandoned, and the message is %s", async (status, state) => {
  const provider = await startUpstream();
  const sent = { bytes: 0 };
  provider.answers(liesAboutItsLength(sent, status));
  const vars = { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` };
  const other = await startSubscriptionApi({ simulatorUrl: stripe.url, vars });
  const email = `endless-${status}@example.com`;
  const { clientSecret } = await signUp(other, { email }, email);
  await enterCard(stripe.url, clientSecret);
  // The same form again finds the card, and starts the trial.
  await signUp(other, { email }, email);
  const messages = "SELECT state, attempts FROM outbox WHERE kind <> 'trial-ending'";
  await expect.poll(() => rows(other, messages)).toEqual(Array(2).fill({ state, attempts: 1 }));
  expect(sent.bytes).toBeLessThan(32 * KIB * KIB);
  await other.dispose();
  provider.dispose();
});

test("with production's bindings the site reaches the API, the public does not, and emails go out", async () => {
  const simulator = await startStripeSimulator();
  const STRIPE_PUBLISHABLE_KEY = "pk_test_0123456789abcdef0123";
  const site = await startSite({
    environment: "production",
    vars: { ...DEPLOYED, SUBSCRIPTION_API_URL: API_ORIGIN, STRIPE_PUBLISHABLE_KEY },
    beside: {
      ...API,
      environment: "production",
      vars: {
        STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
        STRIPE_PUBLISHABLE_KEY,
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
        LINK_SECRET: "signs-the-links-of-the-tests-of-a-deployment",
        HASH_SECRET: "keys-the-hashes-of-the-tests-of-a-deployment",
        CUSTOMER_PORTAL_URL: DEPLOYED.CUSTOMER_PORTAL_URL,
      },
      miniflare: { outboundService: toSimulator(simulator.url) },
    },
  });
  await migrateDatabase(site.database);
  const visitor = siteVisitor(site, ORIGIN);
  const sender = { "CF-Connecting-IP": "2001:db8::1" };
  expect((await visitor.submit({ email: "bound@example.com" }, sender)).status).toBe(303);
  expect(await rows(site, "SELECT email FROM sign_ups")).toEqual([{ email: "bound@example.com" }]);
  const network = await site.mf.getWorker("citewell-subscription-api");
  const form = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(validRequest) };
  expect((await network.fetch(`${API_ORIGIN}/subscription`, form)).status).toBe(404);
  await rows(
    site,
    `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)
       SELECT 'a key', id, 'card-used', '', '' FROM sign_ups`,
  );
  await visitor.submit({ email: "another@example.com" });
  const said = () => site.said.join("\n");
  await expect.poll(said).toContain("Your Citewell trial has not started");
  for (const address of ["bound@example.com", "hello@citewell.example"]) expect(said()).toContain(address);
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

/** Nothing but Stripe is reached. */
function toSimulator(url: string) {
  return async (request: Request): Promise<Response> => {
    if (!request.url.startsWith(STRIPE)) return new Response(null, { status: 599 });
    const { method } = request;
    const headers = [...request.headers].filter(([name]) => !/^(host|content-length|accept-encoding)$/.test(name));
    const body = /GET|DELETE/.test(method) ? {} : { body: await request.text() };
    const answer = await fetch(request.url.replace(STRIPE, url), { method, headers, ...body });
    return new Response(await answer.text(), {
      status: answer.status,
      headers: { "content-type": "application/json" },
    });
  };
}
