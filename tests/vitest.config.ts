import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { askThisMachineDirectly } from "../tools/no-proxy";

askThisMachineDirectly(process.env);

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const setupFiles = ["watchdog.ts", "matchers/matchers.ts", "matchers/first-difference.ts"].map((name) =>
  here(`support/${name}`),
);

// Vitest takes NODE_ENV=production from a shell, with which esbuild and React are others than the tests mean.
process.env.NODE_ENV = "test";

/** Values are shown whole in the names of rows and in messages. */
const chaiConfig = { truncateThreshold: 200 };

/** Tests of the built Workers in Miniflare. Run `npm run build` after a change. */
export const workers = {
  chaiConfig,
  setupFiles,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // The test's own time-out is the only one.
  expect: { poll: { timeout: 170_000 } },
  // Miniflare and Wrangler take seconds to load, so they load once per process, not once per file.
  isolate: false,
  globalSetup: here("built-workers.ts"),
};
/** Tests in Node alone. */
export const unit = {
  chaiConfig,
  setupFiles,
  testTimeout: 60_000,
  // A module is loaded once for each process, not for each file: half the time of all of them.
  isolate: false,
  restoreMocks: true,
};

/** Node has no such module; the Workers' tests have workerd's. */
export const resolve = { alias: { "cloudflare:workers": here("support/api-in-process/cloudflare-workers.ts") } };

export default defineConfig({
  test: {
    globalSetup: here("temporary-folder.ts"),
    maxWorkers: availableParallelism(),
    projects: [
      { resolve, test: { ...unit, name: "unit", include: ["tests/unit/**/*.test.ts"] } },
      { test: { ...workers, name: "workers", include: ["tests/{workers,stripe-facts}/**/*.test.ts"] } },
    ],
  },
});
