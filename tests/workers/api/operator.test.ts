import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { runCommand } from "../../../tools/operator";
import { enterCard, rowOf, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import { startBackend, startSubscriptionApi } from "../../support/workers/workers";

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

test("each package gets a monthly price: another one after a change of its price, and for a yearly one", async () => {
  const catalog = z.object({ prices: z.array(z.object({ created: z.boolean() })) });
  const reconcile = async () => {
    const { prices } = catalog.parse(await runCommand(["catalog", "--url", api.url]));
    const [{ id, stripe_price_id } = {}] = await rows(api, "SELECT * FROM packages WHERE name = 'MINI'");
    const { data } = await stripeAt(stripe).prices.list({ limit: 100 });
    const mini = data.find((price) => price.id === stripe_price_id);
    return { created: prices.map(({ created }) => created), id: String(id), mini };
  };
  const first = await reconcile();
  expect(first.created).toEqual([true, true, true]);
  const [product, currency] = [String(first.mini?.product), "usd"];
  expect(first.mini).toMatchObject({ unit_amount: 10_000, currency, recurring: { interval: "month" } });
  await rows(api, "UPDATE packages SET stripe_price_id = 'lost ' || name");
  expect(await reconcile()).toMatchObject({ created: [false, false, false], mini: first.mini });
  await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
  const changed = await reconcile();
  expect(changed).toMatchObject({ created: [true, false, false], mini: { unit_amount: 12_000, product } });
  const yearly = { lookup_key: first.id, transfer_lookup_key: true, recurring: { interval: "year" } } as const;
  await stripeAt(stripe).prices.create({ currency, unit_amount: 12_000, product, ...yearly });
  const monthly = { product, recurring: { interval: "month" } };
  expect(await reconcile()).toMatchObject({ created: [true, false, false], mini: monthly });
});

test("after a restore, in maintenance alone, a command names the person whom Stripe knows and the database lost", async () => {
  const restoredTo = new Date(Date.now() - 60_000);
  const email = "lost@example.com";
  await enterCard(stripe.url, (await signUp(api, { email })).clientSecret);
  await expect.poll(async () => (await rowOf(api, email)).status).toBe("trialing");
  const { id: sign_up_id, stripe_customer_id: customer_id } = await rowOf(api, email);
  const moments = ["--restored-to", restoredTo.toISOString(), "--stopped-at", new Date().toISOString()];
  const restore = ({ url }: { url: string }) => runCommand(["after-restore", ...moments, "--url", url]);
  await expect(restore(api)).rejects.toThrow("Set MAINTENANCE to true first");
  const empty = await startSubscriptionApi({ simulatorUrl: stripe.url, vars: { MAINTENANCE: "true" } });
  const missing = expect.arrayContaining([{ sign_up_id, customer_id, had_trial: true }]);
  expect(await restore(empty)).toEqual({ deleted_again: 0, emails_held_back: 0, checked_again: 0, missing });
  await empty.dispose();
});
