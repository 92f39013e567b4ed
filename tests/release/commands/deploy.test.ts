import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { rows } from "../../support/visitors/visitor";
import { API, checkOutForProduction, USUAL } from "./production";

/* Preflight and deploy as a person types them; tests/unit/tools has a table of the situations. */

const { checkout, inProduction, commitPrices } = await checkOutForProduction();
afterAll(checkout.dispose);
beforeEach(() => commitPrices(USUAL));

test("a first deployment gives the packages their prices at Stripe, and deploys the site last", async () => {
  const { run, api, stripe } = await inProduction();
  const { output, steps, exitCode } = await run("deploy", ["production"]);
  expect(output).toMatch(/✓ Ready to deploy to production\..*✓ subscription API.*✓ prices: .*✓ site/s);
  expect(output, "advice that is wrong for this deployment").not.toMatch(/WARNING|Please add|experimental/);
  expect({ steps, exitCode }).toEqual({
    steps: [
      "citewell-subscription-api",
      "catalog: MINI 1999",
      "catalog: LITE 9950",
      "catalog: STANDARD 50000",
      "citewell-site",
    ],
    exitCode: 0,
  });
  const [{ stripe_price_id } = {}] = await rows(api, "SELECT stripe_price_id FROM packages WHERE name = 'MINI'");
  expect(await (await fetch(`${stripe.url}/v1/prices/${stripe_price_id}`, STRIPE_KEY)).json()).toMatchObject({
    unit_amount: USUAL.MINI,
  });
});

const STRIPE_KEY = { headers: { authorization: "Bearer sk_test_local" } };

test("a deployment whose migration fails ends with what is live, what is not and how to continue", async () => {
  const { run } = await inProduction(USUAL);
  const file = join(checkout.folder, API, "migrations", "0099_test.sql");
  onTestFinished(() => rm(file));
  await writeFile(file, "SELECT nothing FROM nowhere;");
  const commit = await commitPrices({ MINI: 1_500, LITE: 25_000 });
  const { stdout, exitCode } = await run("deploy", ["production"]);
  expect(stdout.slice(stdout.lastIndexOf("Live in production:"))).toBe(`Live in production:
  nothing of this release
Not live:
  migrations: 0099_test.sql
  subscription API: commit ${commit}
  prices: MINI $15 a month
  site: commit ${commit}
  prices: LITE $250 a month
To continue, correct the problem above, then: npm run deploy production
`);
  expect(exitCode).toBe(1);
});
