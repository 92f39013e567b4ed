import { describe, expect, test } from "vitest";
import { live, report, search, shrink } from "./history";
import { loadApi } from "./loaded-api";
import { FAULTS, loadWith } from "./planted-faults/faults";
import { table } from "./reached";

const SIGN_UPS = 400;
const SEED = 11;
/** Of a step and what goes wrong with it: so many are reached, or the world has become too kind. */
const PAIRS = 240;
/** `npm run simulate:faults` takes all. */
const FOUND_SOON = ["a lost ON CONFLICT of sign-ups", "no reconciliation of trials at Stripe"];

test(`${SIGN_UPS} sign-ups while everything fails: none is lost, doubled or told a lie [G6] [G7]`, async () => {
  const loaded = await loadApi();
  const { failing, reached } = await search(loaded, { first: SEED, signUps: SIGN_UPS });
  expect(failing && (await report(await shrink(failing, loaded), loaded))).toBeUndefined();
  expect(reached.size, table(reached.keys())).toBeGreaterThan(PAIRS);
}, 300_000);

test("the same seed is the same history, step by step", async () => {
  const loaded = await loadApi();
  const history = { seed: 2, visitors: [0, 1, 2, 3, 4, 5] };
  const first = await live(history, loaded, true);
  expect(first.faults.length).toBeGreaterThan(10);
  expect(await live(history, loaded, true)).toEqual(first);
  expect(await live(history, await loadApi(), true)).toEqual(first);
}, 300_000);

describe("a planted fault is found, and its history made shorter", () => {
  test.each(FOUND_SOON)(
    "%s",
    async (name) => {
      const fault = FAULTS.find((one) => one.name === name);
      if (!fault) throw new Error("There is no such fault");
      const loaded = await loadWith(fault);
      const { failing } = await search(loaded, { first: 1, signUps: SIGN_UPS });
      const shorter = failing && (await shrink(failing, loaded));
      expect(shorter?.visitors.length).toBeLessThan(3);
    },
    300_000,
  );
});
