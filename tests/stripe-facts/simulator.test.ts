import { afterAll, describe, expect, test } from "vitest";
import { FACTS, PUBLIC_FACTS, SIMULATOR_FACTS } from "./facts/facts";
import { startSimulatorWorld } from "./simulator-world";

/* What we rely on at Stripe is true in the simulator. `npm run test:stripe` asks Stripe's test mode the same. */

const { world, dispose } = await startSimulatorWorld();
afterAll(dispose);

describe("in the simulator as at Stripe,", () => {
  test.each([...FACTS, ...PUBLIC_FACTS, ...SIMULATOR_FACTS])("$situation", async ({ calls, comes }) => {
    expect(await calls(world)).toEqual(comes);
  });
});
