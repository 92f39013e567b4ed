import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import packageJson from "../../../package.json";
import { runCommand } from "../../../tools/operator";
import { root } from "../../../tools/wrangler/wrangler";
import { enterCard, rows, signUp, stripeAt, stripeStateOf } from "../../support/visitors/visitor";
import { startBackend } from "../../support/workers/workers";

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

test("an operator erases a person at Stripe and here", async () => {
  const email = "erase@example.com";
  const { clientSecret } = await signUp(api, { email });
  await enterCard(stripe.url, clientSecret);
  const found = () => rows(api, "SELECT status FROM sign_ups WHERE email = ?", email);
  await expect.poll(found).toEqual([{ status: "trialing" }]);
  const { customers } = await stripeStateOf(stripe, email);
  expect(await runCommand(["erase", "--email", email, "--url", api.url])).toEqual({ erased: 1, customers: 1 });
  const customer = await stripeAt(stripe).customers.retrieve(String(customers[0]?.id));
  expect(customer).toMatchObject({ deleted: true });
  // Stripe's webhook about the end, before or after the row is deleted, brings nobody back.
  const told = { event: "event_processed", type: "customer.subscription.deleted" };
  await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(told));
  expect(await found()).toEqual([]);
});

test("each package gets a monthly price: another one after a change of its price, and for a yearly one", async () => {
  const catalog = z.object({ prices: z.array(z.object({ created: z.boolean() })) });
  const MINI = "SELECT id, stripe_price_id FROM packages WHERE name = 'MINI'";
  const reconcile = async () => {
    const { prices } = catalog.parse(await runCommand(["catalog", "--url", api.url]));
    const [{ id, stripe_price_id } = {}] = await rows(api, MINI);
    const { data } = await stripeAt(stripe).prices.list({ limit: 100 });
    const mini = data.find((price) => price.id === stripe_price_id);
    return { created: prices.map(({ created }) => created), id: String(id), mini };
  };
  const first = await reconcile();
  expect(first.created).toEqual([true, true, true]);
  expect(first.mini).toMatchObject({ unit_amount: 10_000, currency: "usd", recurring: { interval: "month" } });
  expect((await reconcile()).created).toEqual([false, false, false]);
  await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
  const changed = await reconcile();
  expect(changed.created).toEqual([true, false, false]);
  expect(changed.mini).toMatchObject({ unit_amount: 12_000, product: first.mini?.product });
  await stripeAt(stripe).prices.create({
    ...{ currency: "usd", unit_amount: 12_000, product: String(first.mini?.product) },
    ...{ lookup_key: first.id, transfer_lookup_key: true, recurring: { interval: "year" } },
  });
  const monthly = await reconcile();
  expect(monthly.created).toEqual([true, false, false]);
  expect(monthly.mini).toMatchObject({ recurring: { interval: "month" }, product: first.mini?.product });
});

beforeAll(() => signUp(api, { email: "script@example.com" }));

test.each([
  ["export", ["--email", "script@example.com"], 0, /"email": "script@example.com"/, /^$/],
  ["erase", [], 1, /^$/, /^Whose data\? Add --email {email}\.\n$/],
  ["status", [], 0, /^Day \(UTC\) +pending +card_set_up .*\n\d{4}-\d\d-\d\d +[1-9]/, /^$/],
  ["messages", [], 0, /^No message is late or dead\.\n$/, /^$/],
] as const)("npm run %s with %j exits with %i and plain words", async (name, args, exitCode, stdout, stderr) => {
  const command = `${packageJson.scripts[name]} "$@"`;
  const child = spawn("sh", ["-c", command, name, ...args, "--url", api.url], { cwd: root });
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect([said, complained, code]).toEqual([expect.stringMatching(stdout), expect.stringMatching(stderr), exitCode]);
});
