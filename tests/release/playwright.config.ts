import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import tests from "../browser/playwright.config";
import { DESKTOP } from "../browser/support/faults";

export default defineConfig({
  ...tests,
  testDir: fileURLToPath(new URL(".", import.meta.url)),
  projects: [{ name: "release", use: { viewport: DESKTOP } }],
});
