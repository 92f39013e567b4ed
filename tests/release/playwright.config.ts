import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import tests from "../browser/playwright.config";

export default defineConfig({
  ...tests,
  testDir: fileURLToPath(new URL(".", import.meta.url)),
});
