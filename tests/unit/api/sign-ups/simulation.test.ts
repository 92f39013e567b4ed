import { expect, test } from "vitest";
import { report, search } from "../../../simulation/history";
import { loadApi } from "../../../simulation/loaded-api";

/** Before a release, `npm run test:long` sets more. */
const { SIGN_UPS = "200" } = process.env;
const SEED = 11;
/** The simulation must reach at least this many pairs of a step and a fault; otherwise too little fails in it. */
const PAIRS = 150;

test(`${SIGN_UPS} sign-ups survive failures everywhere: none is lost, duplicated or misinformed`, async () => {
  const loaded = await loadApi();
  const { failing, reached } = await search(loaded, { first: SEED, signUps: Number(SIGN_UPS) });
  expect(failing && (await report(failing, loaded))).toBeUndefined();
  expect(reached.size).toBeGreaterThan(PAIRS);
}, 600_000);
