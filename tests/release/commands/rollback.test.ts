import { afterAll, beforeEach, expect, test } from "vitest";
import type { Version } from "./cloudflare";
import { checkOutForProduction, NAMES, USUAL } from "./production";

/* Rollbacks as a person types them; tests/unit/tools has a table of the situations. */

const { checkout, inProduction, commitPrices } = await checkOutForProduction();
afterAll(checkout.dispose);
beforeEach(() => commitPrices(USUAL));

const version = (id: string, day: number, annotations: Record<string, string>): Version => {
  const metadata = { created_on: `2026-01-0${day}T00:00:00Z` };
  return { id, metadata, annotations: { "workers/triggered_by": "upload", ...annotations } };
};

/** Both Workers of production have a version of each commit, in this order. */
function tagged(versions: Map<string, Version[]>, ...commits: string[]): void {
  for (const name of NAMES) {
    const all = commits.map((commit, day) => version(`${name}-${day}`, day + 1, { "workers/tag": commit }));
    versions.set(name, all);
  }
}

test("a rollback over a raised and a lowered price lowers before the site, and raises after it", async () => {
  const first = await commitPrices({ MINI: 1_500, LITE: 125_000 });
  const second = await commitPrices({ MINI: 12_000, LITE: 7_525 });
  const { run, versions, prices } = await inProduction({ MINI: 12_000, LITE: 7_525 });
  tagged(versions, first, second);
  const back = await run("rollback", ["production", first]);
  expect(back.steps).toEqual([
    "catalog: MINI 1500",
    "citewell-site",
    "catalog: LITE 125000",
    "citewell-subscription-api",
  ]);
  expect(await prices()).toMatchObject({ MINI: 1_500, LITE: 125_000 });
});
