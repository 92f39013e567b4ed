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
import { CHUNKED, flood, liesAboutItsLength } from "../flood";

/* Tests that need real connections: bodies as they arrive, the service binding, request IDs from end to end. */

const API_ORIGIN = "https://api.citewell.dev";
const KIB = 1024;

const { DEPLOYED, SOON } = workers;
const { api, stripe, visitor, dispose } = await startStack();
afterAll(dispose);

const FALSE_LENGTH = "Content-Length: 2";
test.each([
  { path: "/subscription", kib: 16, headers: [CHUNKED, FALSE_LENGTH] },
  { path: "/webhooks/stripe", kib: 256, headers: [FALSE_LENGTH, CHUNKED] },
])("a body of more than $kib KiB sent to $path with $headers is refused", async ({ path, kib, headers }) => {
  const head = [`POST ${path} HTTP/1.1`, "Content-Type: application/json", ...headers];
  const { status } = await flood(api.url, head, kib * KIB + 2);
  expect(status).toBe(413);
});

/** The bytes that sockets hold, with room to spare. A reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 32 * KIB * KIB;

test("an endless answer to a message is abandoned: after a 409 it is sent again, and after a 200 it is sent", async () => {
  const [mail, webhooks] = [await startUpstream(), await startUpstream()];
  const answered = { bytes: 0 };
  mail.answers(liesAboutItsLength(answered, 409));
  webhooks.answers(liesAboutItsLength(answered, 200));
  const vars = { MAIL_API_URL: `${mail.url}/emails`, CONSOLE_WEBHOOK_URL: `${webhooks.url}/hooks` };
  const sender = await workers.startSubscriptionApi({ simulatorUrl: stripe.url, vars });
  const email = "endless@example.com";
  await enterCard(stripe.url, (await signUp(sender, { email }, email)).clientSecret);
  // The same form again finds the card, and starts the trial.
  await signUp(sender, { email }, email);
  const query = "SELECT kind, state, attempts FROM outbox WHERE kind <> 'trial-ending' ORDER BY kind";
  await expect
    .poll(() => rows(sender, query), { timeout: 60_000 })
    .toEqual([
      { kind: "account-created", state: "sent", attempts: 1 },
      { kind: "trial-started", state: "due", attempts: 1 },
    ]);
  expect(answered.bytes, "bytes that the receivers could send").toBeLessThan(BUFFERED_BYTES);
  await sender.dispose();
  mail.dispose();
  webhooks.dispose();
});

/* The site with the API behind its service binding, both with staging's settings, and a Stripe. */
const site = await workers.startSite({
  environment: "staging",
  vars: { ...DEPLOYED, SUBSCRIPTION_API_URL: API_ORIGIN, STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef0123" },
  beside: {
    ...workers.API,
    environment: "staging",
    vars: {
      STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
      CUSTOMER_PORTAL_URL: DEPLOYED.CUSTOMER_PORTAL_URL,
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
      LINK_SECRET: "signs-the-links-of-the-tests-of-a-deployment",
      HASH_SECRET: "keys-the-hashes-of-the-tests-of-a-deployment",
    },
    // Nothing but Stripe is reached.
    miniflare: {
      outboundService: async (request: Request) =>
        request.url.startsWith("https://api.stripe.com/")
          ? fetch(request.url.replace("https://api.stripe.com", stripe.url), request)
          : new Response(null, { status: 599 }),
    },
  },
});
afterAll(site.dispose);
await migrateDatabase(site.database);
const { submit } = siteVisitor(site, workers.ORIGIN);

test("a form reaches the API by the binding: the password's hash is kept, no IP address is logged, and an email goes out", async () => {
  const email = "bound@example.com";
  expect(await submit({ email }, { "CF-Connecting-IP": "2001:db8::1" })).toHaveStatus(303);
  const { id, password_hash } = await rowOf(site, email);
  expect(await scryptPasswords.verify(PASSWORD, String(password_hash))).toBe(true);
  const accepted = expect.objectContaining({ event: "sign_up_accepted", signUpId: id });
  await expect.poll(() => site.logs, SOON).toContainEqual(accepted);
  expect(JSON.stringify(site.logs)).not.toContain("2001:db8");

  const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?, ?, ?, ?, ?)";
  await rows(site, message, "a key", id, "card-used", "", "");
  // Messages that are due are sent after the next form.
  await submit({ email: "another@example.com" });
  const said = () => site.said.join("\n");
  for (const part of [`Your ${company.name} staging trial has not started`, email, company.senderEmail])
    await expect.poll(said).toContain(part);
});

test("the public cannot post a form to a deployed API", async () => {
  const network = await site.mf.getWorker("citewell-subscription-api-staging");
  const answer = await network.fetch(`${API_ORIGIN}/subscription`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...validRequest, email: "public@example.com" }),
  });
  expect(answer.status).toBe(404);
});

test("the request ID of a form is in the page's headers, kept with the sign-up, in the API's log, and at Stripe", async () => {
  const [request_id, email] = ["8f1e2d3c4b5a6979-FRA", "request-id@example.com"];
  expect(await visitor.submit({ email }, { "CF-Ray": request_id })).toHaveHeader("X-Request-ID", request_id);
  const { id, request_id: kept } = await rowOf(api, email);
  expect(kept).toBe(request_id);
  const line = { level: "info", event: "sign_up_accepted", request_id, signUpId: id };
  await expect.poll(() => api.logs, SOON).toContainEqual(line);
  const { customers, setupIntents } = await stripeStateOf(stripe, email);
  for (const objects of [customers, setupIntents])
    expect(objects).toMatchObject([{ metadata: { sign_up_id: id, request_id } }]);
});
