import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { findOrInstallChromium } from "../../tools/chromium";
import { DESKTOP } from "./support/faults";

// Playwright's workers read this file again, and the variable with it: the search runs once.
process.env.CHROMIUM_PATH ??= findOrInstallChromium();

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  testDir: here("."),
  testMatch: "**/*.spec.ts",
  globalSetup: [here("../built-workers.ts"), here("../temporary-folder.ts")],
  outputDir: join(process.env.TEST_RESULTS ?? here("../../build/test-results"), "browser"),
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  workers: availableParallelism(),
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    viewport: DESKTOP,
    trace: "off",
    // A page that hangs is named by its step, before the test's own time-out.
    actionTimeout: 45_000,
    navigationTimeout: 45_000,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
