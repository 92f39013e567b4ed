import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enterCard, mails, post, rows, signUp, stripeAt } from "../support/visitor";
import { type RunningWorker, startBackend, startSubscriptionApi } from "../support/workers";

/** The local token (functions/subscription-api/wrangler.toml). */
const TOKEN = "only-for-local-development-never-for-a-deployment";
const program = fileURLToPath(new URL("../../functions/tools/operator.ts", import.meta.url));

describe("the operator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    ({ api, stripe, dispose } = await startBackend());
  });
  afterAll(() => dispose());

  const ask = (path: string, body: unknown, authorization = `Bearer ${TOKEN}`) =>
    post(`${api.url}/operator/${path}`, JSON.stringify(body), { authorization });

  /** Runs a command as npm does, against this API. */
  async function run(...args: string[]) {
    const child = spawn(process.execPath, ["--import", "tsx", program, ...args, "--url", api.url]);
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
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    return (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];
  }

  it.each(["", "Bearer ", "Bearer wrong", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])(
    "is refused with the authorization %j, and nothing is told or deleted",
    async (authorization) => {
      await signUp(api, { email: "kept@example.com" });
      const answers = [
        await ask("export", { email: "kept@example.com" }, authorization),
        await ask("erase", { email: "kept@example.com" }, authorization),
      ];
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      expect(answers[0]?.text).not.toContain("Lovelace");
      expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = 'kept@example.com'")).not.toEqual([]);
    },
  );

  it("does not exist where no token is configured", async () => {
    const closed = await startSubscriptionApi({ vars: { OPERATOR_TOKEN: "" } });
    const answer = await post(`${closed.url}/operator/export`, "{}", { authorization: "Bearer " });
    expect(answer.status).toBe(404);
    await closed.dispose();
  });

  it("exports all that is kept on a person, and no password's hash", async () => {
    await signUp(api, { email: "export@example.com", city: "Boston" });
    await onTrial("export@example.com");
    const { stdout, exitCode } = await run("export", "--email", " Export@Example.com");

    expect(exitCode).toBe(0);
    const data = JSON.parse(stdout);
    expect(data.email).toBe("export@example.com");
    expect(data.signUps).toHaveLength(2);
    expect(data.signUps[0]).toMatchObject({ status: "pending", city: "Boston", messages: [] });
    expect(data.signUps[1]).toMatchObject({
      status: "trialing",
      full_name: "Ada Lovelace",
      phone: "2125550123",
      stripe_customer_id: expect.stringMatching(/^cus_/),
      messages: [{ kind: "trial-started" }, { kind: "account-created" }],
    });
    expect(stdout).not.toMatch(/scrypt|Analytical-3ngine/);
  });

  it("erases a person: subscription and customer at Stripe, rows and messages here; again does nothing", async () => {
    const row = await onTrial("erase@example.com");
    const { stdout } = await run("erase", "--email", "erase@example.com");

    expect(JSON.parse(stdout)).toEqual({ erased: 1 });
    expect(await rows(api, "SELECT * FROM sign_ups WHERE email = 'erase@example.com'")).toEqual([]);
    expect(await rows(api, "SELECT * FROM outbox WHERE sign_up_id = ?", row?.id)).toEqual([]);
    const client = stripeAt(stripe);
    expect(await client.customers.retrieve(String(row?.stripe_customer_id))).toMatchObject({ deleted: true });
    expect(await client.subscriptions.retrieve(String(row?.stripe_subscription_id))).toMatchObject({
      status: "canceled",
    });
    expect(JSON.parse((await run("erase", "--email", "erase@example.com")).stdout)).toEqual({ erased: 0 });
    // Stripe's webhook about the end finds nobody, and brings nobody back.
    await expect
      .poll(() => rows(api, "SELECT 1 FROM stripe_events WHERE type = 'customer.subscription.deleted'"))
      .toHaveLength(1);
    expect((await ask("export", { email: "erase@example.com" })).text).toContain('"signUps":[]');
  });

  it("gives each package a price at Stripe, and finds it again", async () => {
    const first = JSON.parse((await run("catalogue")).stdout);
    const again = JSON.parse((await ask("catalogue", {})).text);

    expect(first.prices.map(({ name, created }: { name: string; created: boolean }) => [name, created])).toEqual([
      ["MINI", true],
      ["LITE", true],
      ["STANDARD", true],
    ]);
    expect(again.prices.map(({ created }: { created: boolean }) => created)).toEqual([false, false, false]);
    const stored = await rows(api, "SELECT name, price_cents, stripe_price_id FROM packages ORDER BY price_cents");
    for (const { name, price_cents, stripe_price_id } of stored) {
      const price = (await stripeAt(stripe).prices.list({ limit: 100 })).data.find(({ id }) => id === stripe_price_id);
      expect(price, String(name)).toMatchObject({
        unit_amount: price_cents,
        currency: "usd",
        recurring: { interval: "month" },
      });
    }

    await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
    const raised = JSON.parse((await ask("catalogue", {})).text);
    expect(raised.prices.map(({ created }: { created: boolean }) => created)).toEqual([true, false, false]);
    await rows(api, "UPDATE packages SET price_cents = 10000 WHERE name = 'MINI'");
  });

  it("is told plainly what a command lacks", async () => {
    expect(await run("erase")).toMatchObject({ exitCode: 1, stderr: "Whose data? Add --email {address}.\n" });
    expect((await run("export", "--email", "nobody")).stderr).toMatch(/^The API answered 422/);
    expect((await run("dance")).stderr).toContain("The commands are export, erase, catalogue.");
  });

  it("leaves no personal data in the log", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("person_erased");
    expect(log).not.toMatch(/@|example\.com|Lovelace/);
  });
});
