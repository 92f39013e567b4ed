import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The unit tests, without those that read the repository's own files. */
export default defineConfig({
  root: here("../../../"),
  resolve: { alias: { "cloudflare:workers": here("../../support/api-in-process/cloudflare-workers.ts") } },
  test: {
    include: ["tests/unit/**/*.test.ts"],
    exclude: ["tests/unit/{repository,tools}/*.test.ts", "tests/unit/signup/stripe-js.test.ts"],
    isolate: false,
    restoreMocks: true,
    testTimeout: 10_000,
  },
});
