import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enterCard, mails } from "../../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../../support/workers/workers";

const client = (worker: RunningWorker, key = "sk_test_local") =>
  new Stripe(key, { protocol: "http", host: "localhost", port: new URL(worker.url).port, maxNetworkRetries: 0 });

describe("the Stripe simulator", () => {
  const received: { body: string; signature: string }[] = [];
  let failures = 0;
  let endpoint: Server;
  let worker: RunningWorker;
  let stripe: Stripe;

  beforeAll(async () => {
    endpoint = createServer(async (request, response) => {
      const body = await text(request);
      if (failures-- > 0) return response.writeHead(500).end();
      received.push({ body, signature: String(request.headers["stripe-signature"]) });
      return response.end("ok");
    });
    await once(endpoint.listen(0, "127.0.0.1"), "listening");
    const { port } = endpoint.address() as AddressInfo;
    worker = await startStripeSimulator({ webhookUrl: `http://127.0.0.1:${port}/` });
    stripe = client(worker);
  });
  afterAll(async () => {
    await worker.dispose();
    endpoint.closeAllConnections();
    endpoint.close();
  });

  async function newIntent() {
    const customer = await stripe.customers.create({ email: "ada@example.com", metadata: { a: "1" } });
    return stripe.setupIntents.create({
      customer: customer.id,
      usage: "off_session",
      metadata: { sign_up_id: "x" },
    });
  }

  const eventsOf = (intentId: string) =>
    received.map(({ body }) => JSON.parse(body)).filter((event) => event.data.object.id === intentId);

  test("a publishable key sees only the setup intent whose client secret it sends", async () => {
    const intent = await newIntent();
    const browser = client(worker, "pk_test_local");

    const shown = await browser.setupIntents.retrieve(intent.id, { client_secret: intent.client_secret ?? "" });
    expect(shown).toMatchObject({ id: intent.id, status: "requires_payment_method" });
    expect(shown).not.toHaveProperty("customer");
    await expect(browser.setupIntents.retrieve(intent.id, { client_secret: "seti_1_secret_2" })).rejects.toMatchObject({
      code: "resource_missing",
      message: `No such setupintent: '${intent.id}'`,
    });
    await expect(browser.customers.create({})).rejects.toMatchObject({ code: "secret_key_required" });
    await expect(client(worker, "sk_live_x").customers.create({})).rejects.toMatchObject({ statusCode: 401 });
  });

  test.each([
    ["complete", "succeeded", "succeeded"],
    ["fail", "failed", "requires_payment_method"],
  ])(
    "a card that needs authentication leads to the bank's page: %s ends as %s",
    async (outcome, redirectStatus, status) => {
      const intent = await newIntent();
      const { body } = await enterCard(worker.url, intent.client_secret ?? "", "4000002500003155");
      expect(body.status).toBe("requires_action");
      const bankPage = body.next_action.redirect_to_url.url;

      expect(await (await fetch(bankPage)).text()).toContain("Complete authentication");
      const back = await fetch(bankPage, {
        method: "POST",
        body: new URLSearchParams({ outcome }),
        redirect: "manual",
      });

      expect(back.status).toBe(303);
      const location = new URL(back.headers.get("location") ?? "");
      expect(Object.fromEntries(location.searchParams)).toEqual({
        from: "card",
        setup_intent: intent.id,
        setup_intent_client_secret: intent.client_secret,
        redirect_status: redirectStatus,
      });
      expect((await stripe.setupIntents.retrieve(intent.id)).status).toBe(status);
      expect((await fetch(bankPage)).status).toBe(404);
    },
  );

  test("a setup intent that has succeeded can be neither confirmed nor canceled", async () => {
    const intent = await newIntent();
    await stripe.setupIntents.confirm(intent.id, { payment_method: "pm_card_visa" });

    const unexpectedState = { code: "setup_intent_unexpected_state" };
    await expect(stripe.setupIntents.confirm(intent.id, { payment_method: "pm_card_visa" })).rejects.toMatchObject(
      unexpectedState,
    );
    await expect(stripe.setupIntents.cancel(intent.id)).rejects.toMatchObject(unexpectedState);
  });

  test("the simulator repeats a signed event until the endpoint accepts it", async () => {
    failures = 2;
    const intent = await newIntent();
    await enterCard(worker.url, intent.client_secret ?? "");

    await expect.poll(() => eventsOf(intent.id), { timeout: 10_000 }).toHaveLength(1);
    const delivery = received.at(-1);
    const event = stripe.webhooks.constructEvent(
      delivery?.body ?? "",
      delivery?.signature ?? "",
      "whsec_local_development_only",
    );
    expect(event).toMatchObject({
      type: "setup_intent.succeeded",
      data: { object: { metadata: { sign_up_id: "x" } } },
    });
  });

  test("an idempotency key repeats a 500 but neither a 429 nor a 409", async () => {
    const create = async (key: string, fault?: string) => {
      const response = await fetch(`${worker.url}/v1/customers`, {
        method: "POST",
        headers: {
          authorization: "Bearer sk_test_local",
          "idempotency-key": key,
          ...(fault && { "simulator-fault": fault }),
        },
        body: new URLSearchParams({ email: `${key}@example.com` }),
      });
      const { status, headers } = response;
      await response.text();
      const retry = headers.get("stripe-should-retry");
      return [status, retry, (await stripe.customers.list({ email: `${key}@example.com` })).data.length];
    };

    expect([await create("k1", "500-before"), await create("k1")]).toEqual([
      [500, "false", 0],
      [500, "false", 0],
    ]);
    expect([await create("k2", "500-after"), await create("k2")]).toEqual([
      [500, "false", 1],
      [500, "false", 1],
    ]);
    expect([await create("k3", "429"), await create("k3")]).toEqual([
      [429, null, 0],
      [200, null, 1],
    ]);
    expect([await create("k4", "409"), await create("k4")]).toEqual([
      [409, null, 0],
      [200, null, 1],
    ]);
  });

  test("the mailbox accepts an email with an API key, once for each idempotency key", async () => {
    const text = "<script>alert(1)</script>";
    const mail = { from: "a@example.com", to: ["b@example.com"], subject: "s", html: "<p>h</p>", text };
    const send = (
      body: object,
      headers: Record<string, string> = { authorization: "Bearer re_1", "idempotency-key": "m" },
    ) => fetch(`${worker.url}/emails`, { method: "POST", headers, body: JSON.stringify(body) });
    const answers = [
      await send(mail, {}),
      await send({ ...mail, html: "" }),
      await send(mail),
      await send(mail),
      await send({ ...mail, subject: "another" }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 422, 200, 200, 409]);
    expect(await answers[4]?.json()).toMatchObject({ name: "invalid_idempotent_request" });
    expect(await mails(worker)).toHaveLength(1);

    // It shows the email as text, and as HTML that cannot run.
    const mailbox = await (await fetch(`${worker.url}/mailbox`)).text();
    expect(mailbox).toContain("b@example.com");
    const link = worker.url + (/href="(\/mailbox\/[\w-]+)"/.exec(mailbox)?.[1] ?? "");
    const page = await (await fetch(link)).text();
    expect(page).toContain('<iframe sandbox src="');
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toContain("<script>");
    const frame = await fetch(`${link}/html`);
    expect(frame.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(await frame.text()).toBe("<p>h</p>");
  });

  test("the simulator keeps its data across a restart", async () => {
    const persist = await mkdtemp(join(tmpdir(), "stripe-simulator-"));
    const before = await startStripeSimulator({ persist });
    const customer = await client(before).customers.create({ name: "Ada" });
    await before.dispose();
    const after = await startStripeSimulator({ persist });

    expect(await client(after).customers.retrieve(customer.id)).toMatchObject({ name: "Ada" });
    await after.dispose();
    await rm(persist, { recursive: true });
  });
});
