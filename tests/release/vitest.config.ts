import { defineConfig } from "vitest/config";
import tests, { resolve, unit, workers } from "../vitest.config";

/** The simulation and the sign-up's model with ten times as many random visitors as on each push. */
const long = {
  ...unit,
  name: "long",
  include: ["tests/unit/api/sign-ups/simulation.test.ts", "tests/unit/sign-up/model.test.ts"],
  env: { SIGN_UPS: "2000", SEQUENCES: "300" },
};
// A command starts Node and Wrangler several times.
const release = {
  ...workers,
  name: "release",
  include: ["tests/release/**/*.test.ts"],
  testTimeout: 600_000,
  hookTimeout: 600_000,
};

export default defineConfig({
  test: { ...tests.test, projects: [{ resolve, test: long }, { test: release }] },
});
