export { default } from "./tests/browser/playwright.config";
