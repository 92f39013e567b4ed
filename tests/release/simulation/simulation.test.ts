import { describe, expect, test } from "vitest";
import { live, report, search, shrink } from "./history";
import { loadApi } from "./loaded-api";
import { FAULTS, plantOf } from "./planted-faults/faults";

const HISTORIES = 12;
const SEED = 11;
/** A few histories are enough for these; `npm run simulate:faults` takes all. */
const FOUND_SOON = ["a lost ON CONFLICT of sign-ups", "messages after the state that they wait for"];

test(`${HISTORIES} histories of sign-ups while everything fails: none is lost, doubled or told a lie [G6] [G7]`, async () => {
  const loaded = await loadApi();
  const { failing, signUps } = await search(loaded, SEED, HISTORIES);
  expect(failing && (await report(await shrink(failing, loaded), loaded))).toBeUndefined();
  expect(signUps).toBeGreaterThan(300);
}, 180_000);

test("histories that once went wrong pass", async () => {
  const loaded = await loadApi();
  // The event of a card that had been used before came while the next card's trial began: it was a 503.
  expect((await live({ seed: 777362, visitors: [36, 37], only: [] }, loaded)).violations).toEqual([]);
  // A form was sent again while its sign-up was deleted as abandoned: it was a 200, and its card had no trial.
  const lost = ["visitor 3 try 1 #6 dies", "visitor 3 try 2 lost on the way", "visitor 3 try 3 #4 dies"];
  const deleted = { seed: 90019, visitors: [3, 21], only: ["outage of database", ...lost] };
  expect((await live(deleted, loaded)).violations).toEqual([]);
  // A form was sent again while its sign-up was being erased: it was given a secret that takes no card.
  const erased = { seed: 25, visitors: Array.from({ length: 40 }, (_, index) => index) };
  expect((await live(erased, loaded)).violations).toEqual([]);
});

test("the same seed is the same history, step by step", async () => {
  const loaded = await loadApi();
  const history = { seed: 2, visitors: [0, 1, 2, 3, 4, 5] };
  const first = await live(history, loaded, true);
  expect(first.faults.length).toBeGreaterThan(10);
  expect(await live(history, loaded, true)).toEqual(first);
  expect(await live(history, await loadApi(), true)).toEqual(first);
}, 180_000);

describe("a planted fault is found, and its history made shorter", () => {
  test.each(FOUND_SOON)(
    "%s",
    async (name) => {
      const fault = FAULTS.find((one) => one.name === name);
      const loaded = await loadApi(fault && plantOf(fault));
      const { failing } = await search(loaded, 1, 5);
      const shorter = failing && (await shrink(failing, loaded));
      expect(shorter?.visitors.length).toBeLessThan(5);
    },
    150_000,
  );
});
