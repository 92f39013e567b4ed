import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { runCommand } from "../../../tools/operator";
import { enterCard, rows, signUp, stripeAt, stripeStateOf } from "../../support/visitors/visitor";
import { startBackend } from "../../support/workers/workers";

const root = join(import.meta.dirname, "../../..");

const catalog = z.object({ prices: z.array(z.object({ name: z.string(), created: z.boolean() })) });

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

describe("an operator", () => {
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

  test("erases a person at Stripe and here", async () => {
    const email = "erase@example.com";
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    const found = "SELECT status FROM sign_ups WHERE email = ?";
    await expect.poll(() => rows(api, found, email)).toEqual([{ status: "trialing" }]);
    const { customers } = await stripeStateOf(stripe, email);
    expect(await run("erase", "--email", email)).toEqual({ erased: 1, customers: 1 });
    const customer = await stripeAt(stripe).customers.retrieve(String(customers[0]?.id));
    expect(customer).toMatchObject({ deleted: true });
    // Stripe's webhook about the end, before or after the row is deleted, brings nobody back.
    const told = { event: "event_processed", type: "customer.subscription.deleted" };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(told));
    expect(await rows(api, found, email)).toEqual([]);
  });

  test("gives each package a monthly price: a new one for the same product after a change, and in place of a yearly one", async () => {
    const reconcile = async () => catalog.parse(await run("catalog")).prices.map(({ created }) => created);
    const miniPrices = async () => {
      const [row] = await rows(api, "SELECT id, stripe_price_id FROM packages WHERE name = 'MINI'");
      const prices = (await stripeAt(stripe).prices.list({ limit: 100 })).data;
      return { id: String(row?.id), current: prices.find(({ id }) => id === row?.stripe_price_id), prices };
    };
    expect(await reconcile()).toEqual([true, true, true]);
    expect(await reconcile()).toEqual([false, false, false]);
    const before = await miniPrices();
    expect(before.current).toMatchObject({ unit_amount: 10_000, currency: "usd", recurring: { interval: "month" } });
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
  });

  test("runs commands as npm scripts, which exit with 1 and a plain message on an error", async () => {
    const email = "script@example.com";
    await signUp(api, { email });
    const [found, refused] = await Promise.all([runScript("export", "--email", email), runScript("erase")]);

    expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`"email": "${email}"`) });
    expect(refused).toEqual({ exitCode: 1, stdout: "", stderr: "Whose data? Add --email {email}.\n" });
  });

  test("sees sign-ups by day and state, and messages that are late or dead, as tables in the terminal", async () => {
    await signUp(api, { email: "counted@example.com" });
    const { stdout } = await runScript("status");
    expect(stdout).toMatch(/^Day \(UTC\) +pending +card_set_up .*\n\d{4}-\d\d-\d\d +[1-9]/);
    expect((await runScript("messages")).stdout).toBe("No message is late or dead.\n");
  });
});
