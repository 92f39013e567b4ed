import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { live, report, search, shrink } from "./history";
import { loadApi } from "./loaded-api";
import { FAULTS, loadWith, RARE_FAULTS } from "./planted-faults/faults";
import { table } from "./reached";

const API = join(import.meta.dirname, "../../../functions/subscription-api");
const SIGN_UPS = 400;
const SEED = 11;
/** Of a step and what goes wrong with it: so many are reached, or the world has become too kind. */
const PAIRS = 240;

test(`${SIGN_UPS} sign-ups survive failures everywhere: none is lost, duplicated or misinformed [G6] [G7]`, async () => {
  const loaded = await loadApi();
  const { failing, reached } = await search(loaded, { first: SEED, signUps: SIGN_UPS });
  expect(failing && (await report(await shrink(failing, loaded), loaded))).toBeUndefined();
  expect(reached.size, table(reached.keys())).toBeGreaterThan(PAIRS);
}, 300_000);

test("the same seed produces the same history, step by step", async () => {
  const loaded = await loadApi();
  const history = { seed: 2, visitors: [0, 1, 2, 3, 4, 5] };
  const first = await live(history, loaded, true);
  expect(first.faults.length).toBeGreaterThan(10);
  expect(await live(history, loaded, true)).toEqual(first);
  expect(await live(history, await loadApi(), true)).toEqual(first);
}, 300_000);

test("a planted fault is found, and its failing history is shortened", async () => {
  const fault = FAULTS.find(({ name }) => name === "a lost ON CONFLICT of sign-ups");
  const loaded = fault && (await loadWith(fault));
  const { failing } = loaded ? await search(loaded, { first: 1, signUps: SIGN_UPS }) : {};
  const shorter = loaded && failing && (await shrink(failing, loaded));
  expect(shorter?.visitors.length).toBeLessThan(3);
}, 300_000);

test.each([...FAULTS, ...RARE_FAULTS])("the planted fault '$name' still fits the source", ({ changes }) => {
  for (const { file, from } of changes) expect(readFileSync(join(API, file), "utf8")).toContain(from);
});
