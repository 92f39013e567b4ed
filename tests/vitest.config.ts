import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], testTimeout: 10_000 } },
      // The built Workers in Miniflare: `npm run build` comes first.
      {
        test: {
          name: "edge",
          include: ["tests/edge/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // So that a test can stand in for the one file that the scanner would download.
          server: { deps: { inline: ["@mdn/mdn-http-observatory"] } },
        },
      },
    ],
  },
});
