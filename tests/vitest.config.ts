import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Much of the edge tests is waiting: three files at a time keep two cores busy. By default it would be one.
    maxWorkers: 3,
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], testTimeout: 10_000 } },
      // The built Workers in Miniflare: `npm run build` comes first.
      {
        test: {
          name: "edge",
          include: ["tests/edge/**/*.test.ts"],
          // A busy machine resets connections now and then.
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // What is polled for comes within milliseconds, but not on a busy machine.
          expect: { poll: { timeout: 15_000 } },
          // Miniflare and Wrangler take seconds to load: once for each process, not for each file.
          isolate: false,
          // So that a test can stand in for the one file that the scanner would download.
          server: { deps: { inline: ["@mdn/mdn-http-observatory"] } },
        },
      },
    ],
  },
});
