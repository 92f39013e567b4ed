import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { callApi } from "../../../tools/operator/call-api";
import { rows, stripeAt } from "../../support/visitors/visitor";
import { startBackend } from "../../support/workers/workers";

/* The catalog from the terminal to a Worker, with the simulator. Each test has a backend of its own. */

const token = LOCAL_SECRETS.OPERATOR_TOKEN;
const catalogAnswer = z.object({ prices: z.array(z.object({ created: z.boolean() })) });

async function newBackend() {
  const { api, stripe, dispose } = await startBackend();
  onTestFinished(dispose);
  return {
    api,
    stripe,
    /** Runs the command. Returns for each package whether it got a new price at Stripe. */
    async catalog() {
      const { prices } = catalogAnswer.parse(await callApi({ url: api.url, token }, "catalog"));
      return prices.map(({ created }) => created);
    },
    /** The price at Stripe with which MINI is sold. */
    async miniPrice() {
      const [{ stripe_price_id } = {}] = await rows(api, "SELECT stripe_price_id FROM packages WHERE name = 'MINI'");
      return stripeAt(stripe).prices.retrieve(String(stripe_price_id));
    },
  };
}

test("catalog finds the prices of packages that have lost them", async () => {
  const { api, catalog, miniPrice } = await newBackend();
  await catalog();
  const { id } = await miniPrice();
  await rows(api, "UPDATE packages SET stripe_price_id = 'lost ' || name");
  expect(await catalog()).toEqual([false, false, false]);
  expect(await miniPrice()).toMatchObject({ id });
});

test("catalog gives a package whose cents have changed another price of the same product", async () => {
  const { api, catalog, miniPrice } = await newBackend();
  await catalog();
  const { product } = await miniPrice();
  await rows(api, "UPDATE packages SET price_cents = 12000 WHERE name = 'MINI'");
  expect(await catalog()).toEqual([true, false, false]);
  expect(await miniPrice()).toMatchObject({ unit_amount: 12_000, product });
});
