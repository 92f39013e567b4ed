import { fetch, type Request, Response } from "miniflare";
import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { scryptPasswords } from "../../../functions/subscription-api/passwords/scrypt";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { PASSWORD, validRequest } from "../../support/person";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startStack } from "../../support/visitors/visited-site";
import { enterCard, rowOf, rows, signUp, stripeStateOf } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import * as workers from "../../support/workers/workers";
import { flood, liesAboutItsLength } from "../flood";

/* Needs real connections: bodies as they arrive, the service binding, request IDs from end to end. */

const API_ORIGIN = "https://api.citewell.dev";
const KIB = 1024;
const CHUNKED = "Transfer-Encoding: chunked";

const { DEPLOYED } = workers;
const { api, stripe, visitor, dispose } = await startStack();
afterAll(dispose);

test.each([
  ["/subscription", 16],
  ["/webhooks/stripe", 256],
])("a body sent to %s is counted, whatever its Content-Length says: over %i KiB gives 413", async (path, kib) => {
  const head = [`POST ${path} HTTP/1.1`, "Content-Type: application/json"];
  for (const headers of [[CHUNKED], [CHUNKED, "Content-Length: 2"], ["Content-Length: 2", CHUNKED]])
    expect((await flood(api.url, [...head, ...headers], true, kib * KIB + 2)).status).toBe(413);
});

test.each([
  [409, "due"],
  [200, "sent"],
])("an endless answer with status %i to a message is abandoned, and the message is %s", async (status, state) => {
  const provider = await startUpstream();
  const sent = { bytes: 0 };
  provider.answers(liesAboutItsLength(sent, status));
  const vars = { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` };
  const other = await workers.startSubscriptionApi({ simulatorUrl: stripe.url, vars });
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
  const simulator = await workers.startStripeSimulator();
  const { CUSTOMER_PORTAL_URL } = DEPLOYED;
  const STRIPE_PUBLISHABLE_KEY = "pk_test_0123456789abcdef0123";
  const site = await workers.startSite({
    environment: "production",
    vars: { ...DEPLOYED, SUBSCRIPTION_API_URL: API_ORIGIN, STRIPE_PUBLISHABLE_KEY },
    beside: {
      ...workers.API,
      environment: "production",
      vars: {
        STRIPE_PUBLISHABLE_KEY,
        STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
        CUSTOMER_PORTAL_URL,
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
        LINK_SECRET: "signs-the-links-of-the-tests-of-a-deployment",
        HASH_SECRET: "keys-the-hashes-of-the-tests-of-a-deployment",
      },
      miniflare: { outboundService: toSimulator(simulator.url) },
    },
  });
  await migrateDatabase(site.database);
  const { submit } = siteVisitor(site, workers.ORIGIN);
  const sender = { "CF-Connecting-IP": "2001:db8::1" };
  expect((await submit({ email: "bound@example.com" }, sender)).status).toBe(303);
  const [{ email, password_hash } = {}] = await rows(site, "SELECT email, password_hash FROM sign_ups");
  expect(email).toBe("bound@example.com");
  expect(await scryptPasswords.verify(PASSWORD, String(password_hash))).toBe(true);
  const network = await site.mf.getWorker("citewell-subscription-api");
  const form = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(validRequest) };
  expect((await network.fetch(`${API_ORIGIN}/subscription`, form)).status).toBe(404);
  const columns = "outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
  await rows(site, `INSERT INTO ${columns} SELECT 'a key', id, 'card-used', '', '' FROM sign_ups`);
  await submit({ email: "another@example.com" });
  const said = () => site.said.join("\n");
  await expect.poll(said).toContain(`Your ${company.name} staging trial has not started`);
  for (const address of ["bound@example.com", company.senderEmail]) expect(said()).toContain(address);
  expect(JSON.stringify(site.logs)).not.toContain("2001:db8");
  await Promise.all([site.dispose(), simulator.dispose()]);
});

test("one request ID connects the page with the logs, the row and Stripe's objects", async () => {
  const ray = "8f1e2d3c4b5a6979-FRA";
  const email = "supported@example.com";
  const { headers } = await visitor.submit({ email }, { "CF-Ray": ray });
  const { id, request_id } = await rowOf(api, email);
  expect([headers.get("x-request-id"), request_id]).toEqual([ray, ray]);
  const line = { level: "info", event: "sign_up_accepted", request_id: ray, signUpId: id };
  await expect.poll(() => api.logs).toContainEqual(line);
  const { customers, setupIntents } = await stripeStateOf(stripe, email);
  const made = [...customers, ...setupIntents].map(({ metadata }) => metadata);
  expect(made).toMatchObject(Array(2).fill({ sign_up_id: id, request_id: ray }));
});

/** Nothing but Stripe is reached. */
const toSimulator = (url: string) => async (request: Request) =>
  request.url.startsWith("https://api.stripe.com/")
    ? fetch(request.url.replace("https://api.stripe.com", url), request)
    : new Response(null, { status: 599 });
