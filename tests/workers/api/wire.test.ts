import { fetch, type Request, Response } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

/* Tests that need real connections: bodies as they arrive, the service binding, request IDs from end to end. */

const API_ORIGIN = "https://api.citewell.dev";
const KIB = 1024;

const { DEPLOYED, SOON } = workers;
const { api, stripe, visitor, dispose } = await startStack();
afterAll(dispose);

describe.each([
  { path: "/subscription", kib: 16 },
  { path: "/webhooks/stripe", kib: 256 },
])("a body of more than $kib KiB sent to $path", ({ path, kib }) => {
  const CHUNKED = "Transfer-Encoding: chunked";
  test.each([
    { framing: "in chunks", headers: [CHUNKED] },
    { framing: "in chunks, with a false Content-Length after them", headers: [CHUNKED, "Content-Length: 2"] },
    { framing: "in chunks, with a false Content-Length before them", headers: ["Content-Length: 2", CHUNKED] },
  ])("is refused $framing", async ({ headers }) => {
    const head = [`POST ${path} HTTP/1.1`, "Content-Type: application/json", ...headers];
    const { status } = await flood(api.url, head, true, kib * KIB + 2);
    expect(status).toBe(413);
  });
});

/** The bytes that sockets hold, with room to spare. A reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 32 * KIB * KIB;

test.each([
  { status: 409, state: "due" },
  { status: 200, state: "sent" },
])("an endless answer with $status to a message is abandoned, and the message is $state", async ({ status, state }) => {
  const receiver = await startUpstream();
  const answered = { bytes: 0 };
  receiver.answers(liesAboutItsLength(answered, status));
  const vars = { MAIL_API_URL: `${receiver.url}/emails`, CONSOLE_WEBHOOK_URL: `${receiver.url}/hooks` };
  const sender = await workers.startSubscriptionApi({ simulatorUrl: stripe.url, vars });
  await startTrial(sender, `endless-${status}@example.com`);
  const messages = () =>
    rows(sender, "SELECT kind, state, attempts FROM outbox WHERE kind <> 'trial-ending' ORDER BY kind");
  await expect.poll(messages).toEqual([
    { kind: "account-created", state, attempts: 1 },
    { kind: "trial-started", state, attempts: 1 },
  ]);
  expect(answered.bytes, "bytes that the receiver could send").toBeLessThan(BUFFERED_BYTES);
  await sender.dispose();
  receiver.dispose();
});

/** Signs up and enters a card. */
async function startTrial(worker: workers.RunningWorker, email: string) {
  const { clientSecret } = await signUp(worker, { email }, email);
  await enterCard(stripe.url, clientSecret);
  // The same form again finds the card, and starts the trial.
  await signUp(worker, { email }, email);
}

describe("with a deployment's bindings", () => {
  const IP_ADDRESS = "2001:db8::1";
  let staging: Awaited<ReturnType<typeof startStaging>>;
  beforeAll(async () => {
    staging = await startStaging();
    return staging.dispose;
  });

  test("the site's form reaches the API, which keeps the password's hash", async () => {
    const { site, submit } = staging;
    expect(await submit({ email: "bound@example.com" })).toHaveStatus(303);
    const { password_hash } = await rowOf(site, "bound@example.com");
    expect(await scryptPasswords.verify(PASSWORD, String(password_hash))).toBe(true);
  });

  test("the public cannot post a form to the API", async () => {
    const network = await staging.site.mf.getWorker("citewell-subscription-api-staging");
    const answer = await network.fetch(`${API_ORIGIN}/subscription`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...validRequest, email: "public@example.com" }),
    });
    expect(answer.status).toBe(404);
  });

  test("an email goes out from the company to the person who signed up", async () => {
    const { site, submit } = staging;
    await submit({ email: "emailed@example.com" });
    await rows(
      site,
      `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)
       SELECT 'a key', id, 'card-used', '', '' FROM sign_ups WHERE email = 'emailed@example.com'`,
    );
    // Messages that are due are sent after the next form.
    await submit({ email: "another@example.com" });
    const output = () => site.said.join("\n");
    await expect.poll(output).toContain(`Your ${company.name} staging trial has not started`);
    await expect.poll(output).toContain("emailed@example.com");
    await expect.poll(output).toContain(company.senderEmail);
  });

  test("no log has the IP address of the person who signed up", async () => {
    const { site, submit } = staging;
    await submit({ email: "private@example.com" }, { "CF-Connecting-IP": IP_ADDRESS });
    const { id } = await rowOf(site, "private@example.com");
    const accepted = expect.objectContaining({ event: "sign_up_accepted", signUpId: id });
    await expect.poll(() => site.logs, SOON).toContainEqual(accepted);
    expect(JSON.stringify(site.logs)).not.toContain("2001:db8");
  });
});

/** The site with the API behind its service binding, both with staging's settings, and a Stripe. */
async function startStaging() {
  const simulator = await workers.startStripeSimulator();
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
      miniflare: { outboundService: toSimulator(simulator.url) },
    },
  });
  await migrateDatabase(site.database);
  return {
    site,
    submit: siteVisitor(site, workers.ORIGIN).submit,
    dispose: () => Promise.all([site.dispose(), simulator.dispose()]),
  };
}

describe("the request ID of a form", () => {
  const RAY = "8f1e2d3c4b5a6979-FRA";
  const send = (email: string) => visitor.submit({ email }, { "CF-Ray": RAY });

  test("is in the page's headers", async () => {
    expect(await send("page@example.com")).toHaveHeader("X-Request-ID", RAY);
  });

  test("is kept with the sign-up", async () => {
    await send("kept@example.com");
    expect(await rowOf(api, "kept@example.com")).toMatchObject({ request_id: RAY });
  });

  test("is in the API's log with the sign-up's ID", async () => {
    await send("logged@example.com");
    const { id } = await rowOf(api, "logged@example.com");
    const line = { level: "info", event: "sign_up_accepted", request_id: RAY, signUpId: id };
    await expect.poll(() => api.logs, SOON).toContainEqual(line);
  });

  test("is with Stripe's customer and setup intent", async () => {
    await send("at-stripe@example.com");
    const { id } = await rowOf(api, "at-stripe@example.com");
    const { customers, setupIntents } = await stripeStateOf(stripe, "at-stripe@example.com");
    const origin = { sign_up_id: id, request_id: RAY };
    expect(customers.map(({ metadata }) => metadata)).toMatchObject([origin]);
    expect(setupIntents.map(({ metadata }) => metadata)).toMatchObject([origin]);
  });
});

/** Nothing but Stripe is reached. */
const toSimulator = (url: string) => async (request: Request) =>
  request.url.startsWith("https://api.stripe.com/")
    ? fetch(request.url.replace("https://api.stripe.com", url), request)
    : new Response(null, { status: 599 });
