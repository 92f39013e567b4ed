import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { runCommand } from "../../../tools/operator";
import { enterCard, mails, post, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, startBackend } from "../../support/workers/workers";

/** The local token (functions/subscription-api/wrangler.toml). */
const TOKEN = "only-for-local-development-never-for-a-deployment";
const root = join(import.meta.dirname, "../../..");

const exported = z.object({ email: z.string(), signUps: z.array(z.record(z.string(), z.unknown())) });
const catalogue = z.object({ prices: z.array(z.object({ name: z.string(), created: z.boolean() })) });

describe("the operator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    const backend = await startBackend(FAST_API);
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  const ask = (path: string, body: unknown, authorization = `Bearer ${TOKEN}`) =>
    post(`${api.url}/operator/${path}`, JSON.stringify(body), { authorization, "content-type": "application/json" });

  const run = (...args: string[]) => runCommand([...args, "--url", api.url]);

  /** Runs a script of package.json as npm does. */
  async function runScript(name: string, ...args: string[]) {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
    const child = spawn("sh", ["-c", `${scripts[name]} "$@"`, name, ...args, "--url", api.url], { cwd: root });
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { stdout, stderr, exitCode };
  }

  async function onTrial(email: string) {
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => mails(stripe, email)).not.toEqual([]);
    return (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];
  }

  test.each(["", `Bearer ${TOKEN}x`])(
    "is refused with the authorization %j; nothing is told or deleted, and the log says so [G12]",
    async (authorization) => {
      const refused = () => api.logs.filter(({ event }) => event === "operator_refused").length;
      const before = refused();
      await signUp(api, { email: "kept@example.com" });
      const answers = [
        await ask("export", { email: "kept@example.com" }, authorization),
        await ask("erase", { email: "kept@example.com" }, authorization),
      ];
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      await expect.poll(refused).toBe(before + 2);
      expect(answers[0]?.text).not.toContain("Lovelace");
      expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = 'kept@example.com'")).not.toEqual([]);
    },
  );

  test("exports all that is kept on a person, and no password's hash [F4]", async () => {
    await signUp(api, { email: "export@example.com", city: "Boston" });
    await onTrial("export@example.com");
    const answer = await run("export", "--email", " Export@Example.com");

    const data = exported.parse(answer);
    expect(data.email).toBe("export@example.com");
    expect(data.signUps).toHaveLength(2);
    expect(data.signUps[0]).toMatchObject({ status: "pending", city: "Boston", messages: [] });
    expect(data.signUps[1]).toMatchObject({
      status: "trialing",
      full_name: "Ada Lovelace",
      phone: "2125550123",
      stripe_customer_id: expect.stringMatching(/^cus_/),
      messages: expect.arrayContaining([
        expect.objectContaining({ kind: "trial-started" }),
        expect.objectContaining({ kind: "account-created" }),
      ]),
    });
    expect(JSON.stringify(answer)).not.toMatch(/hash|Analytical-3ngine/);
  });

  test("erases the customer that a sign-up under way made meanwhile, and no customer of another service", async () => {
    const make = (metadata: Record<string, string>) =>
      stripeAt(stripe).customers.create({ email: "under-way@example.com", metadata });
    const ours = await make({ sign_up_id: "00000000-0000-4000-8000-000000000001" });
    const theirs = await make({});
    await run("erase", "--email", "under-way@example.com");
    expect(await stripeAt(stripe).customers.retrieve(ours.id)).toMatchObject({ deleted: true });
    expect(await stripeAt(stripe).customers.retrieve(theirs.id)).toMatchObject({ email: "under-way@example.com" });
  });

  test("erases a person under way: no card can be set up any more, and nothing counts against the address [F4]", async () => {
    const email = "erased-under-way@example.com";
    const counts = async () => (await rows(api, "SELECT count(*) AS n FROM sign_up_counts"))[0]?.n;
    const before = await counts();
    const { clientSecret = "" } = await signUp(api, { email });
    expect(await counts()).not.toBe(before);
    await run("erase", "--email", email);
    expect(await counts()).toBe(before);
    const [setupIntentId = ""] = clientSecret.split("_secret_");
    expect(await stripeAt(stripe).setupIntents.retrieve(setupIntentId)).toMatchObject({ status: "canceled" });
  });

  test("erases a person: subscription and customer at Stripe, rows and messages here; again does nothing", async () => {
    const row = await onTrial("erase@example.com");

    expect(await run("erase", "--email", "erase@example.com")).toEqual({ erased: 1 });
    expect(await rows(api, "SELECT * FROM sign_ups WHERE email = 'erase@example.com'")).toEqual([]);
    expect(await rows(api, "SELECT * FROM outbox WHERE sign_up_id = ?", row?.id)).toEqual([]);
    const client = stripeAt(stripe);
    expect(await client.customers.retrieve(String(row?.stripe_customer_id))).toMatchObject({ deleted: true });
    expect(await client.subscriptions.retrieve(String(row?.stripe_subscription_id))).toMatchObject({
      status: "canceled",
    });
    expect(await run("erase", "--email", "erase@example.com")).toEqual({ erased: 0 });
    // Stripe's webhook about the end finds nobody, and brings nobody back.
    await expect
      .poll(() => rows(api, "SELECT 1 FROM stripe_events WHERE type = 'customer.subscription.deleted'"))
      .toHaveLength(1);
    expect((await ask("export", { email: "erase@example.com" })).text).toContain('"signUps":[]');
  });

  test("gives each package a price at Stripe, and finds it again", async () => {
    const reconcile = async () => catalogue.parse(await run("catalogue")).prices;
    const first = await reconcile();

    expect(first.map(({ name, created }) => [name, created])).toEqual([
      ["MINI", true],
      ["LITE", true],
      ["STANDARD", true],
    ]);
    expect((await reconcile()).map(({ created }) => created)).toEqual([false, false, false]);
    const stored = await rows(api, "SELECT name, price_cents, stripe_price_id FROM packages ORDER BY price_cents");
    for (const { name, price_cents, stripe_price_id } of stored) {
      const price = (await stripeAt(stripe).prices.list({ limit: 100 })).data.find(({ id }) => id === stripe_price_id);
      expect(price, String(name)).toMatchObject({
        unit_amount: price_cents,
        currency: "usd",
        recurring: { interval: "month" },
      });
    }
  });

  test("gives a package whose price changed a new price of the same product, and replaces a yearly one [T7]", async () => {
    const reconcile = async () => catalogue.parse(await run("catalogue")).prices.map(({ created }) => created);
    const miniPrices = async () => {
      const [row] = await rows(api, "SELECT id, stripe_price_id FROM packages WHERE name = 'MINI'");
      const prices = (await stripeAt(stripe).prices.list({ limit: 100 })).data;
      return { id: String(row?.id), current: prices.find(({ id }) => id === row?.stripe_price_id), prices };
    };
    await reconcile();
    const before = await miniPrices();
    await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
    expect(await reconcile()).toEqual([true, false, false]);
    const changed = await miniPrices();
    expect(changed.current).toMatchObject({ unit_amount: 12_000, product: before.current?.product });

    const yearly = await stripeAt(stripe).prices.create({
      currency: "usd",
      lookup_key: before.id,
      product: String(before.current?.product),
      recurring: { interval: "year" },
      transfer_lookup_key: true,
      unit_amount: 12_000,
    });
    expect(await reconcile()).toEqual([true, false, false]);
    const monthly = await miniPrices();
    expect(monthly.current).toMatchObject({ recurring: { interval: "month" }, product: yearly.product });
    await rows(api, "UPDATE packages SET price_cents = 10000 WHERE name = 'MINI'");
  });

  test("is told plainly what a command lacks", async () => {
    await expect(run("erase")).rejects.toThrow("Whose data? Add --email {email}.");
    await expect(run("export", "--email", "nobody")).rejects.toThrow(/^The API answered 422/);
    await expect(run("dance")).rejects.toThrow("The commands are export, erase, catalogue.");
    vi.stubEnv("OPERATOR_TOKEN", undefined);
    await expect(run("catalogue", "--production")).rejects.toThrow("Set the variable OPERATOR_TOKEN");
    vi.unstubAllEnvs();
  });

  test("has its commands as npm scripts, which end with 1 and a plain message on an error", async () => {
    const email = "script@example.com";
    await signUp(api, { email });
    const [found, refused] = await Promise.all([runScript("export", "--email", email), runScript("erase")]);

    expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`"email": "${email}"`) });
    expect(refused).toEqual({ exitCode: 1, stdout: "", stderr: "Whose data? Add --email {email}.\n" });
  });

  test("has a page with the database's sign-ups and the funnel [W5]", async () => {
    await fetch(`${stripe.url}/funnel`, {
      method: "POST",
      body: JSON.stringify({ step: "paid", package: "none", field: "none" }),
    });
    await signUp(api, { email: "counted@example.com" });
    const page = await fetch(`${api.url}/operator`, {
      headers: { authorization: `Basic ${btoa(`anybody:${TOKEN}`)}` },
    });
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toMatch(/<th scope="row">\d{4}-\d\d-\d\d<\/th><td>[1-9]/);
    expect(text).toMatch(/>paid<\/th><td>1</);
    expect(text).not.toContain("counted@");
  });

  test("leaves no personal data in the log [F6]", async () => {
    const email = "logged@example.com";
    await signUp(api, { email });
    await run("export", "--email", email);
    await run("erase", "--email", email);
    const log = JSON.stringify(api.logs);
    expect(log).toContain("person_erased");
    expect(log).not.toMatch(/@|example\.com|Lovelace/);
  });
});
