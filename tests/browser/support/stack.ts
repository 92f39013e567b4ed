import { type BrowserContext, test as base, expect } from "@playwright/test";
import { type RunningWorker, startBackend, startSite } from "../../support/workers/workers";

/** The three Workers, as `npm start` runs them. */
export type Stack = { site: RunningWorker; api: RunningWorker; stripe: RunningWorker };

/**
 * Playwright's `test` with a stack for each of Playwright's workers; URLs are relative to its site. Every test fails
 * when the browser reports an error in a script or a violation of the Content Security Policy.
 */
export const test = base.extend<{ complaints: string[] }, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const { api, stripe, dispose } = await startBackend();
      const site = await startSite({
        vars: {
          SUBSCRIPTION_API_URL: api.url,
          STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
          STRIPE_API_URL: stripe.url,
        },
      });
      await provide({ site, api, stripe });
      await Promise.all([site.dispose(), dispose()]);
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ stack }, provide) => provide(stack.site.url),
  complaints: [
    async ({ browser }, provide) => {
      const complaints: string[] = [];
      const listen = (context: BrowserContext) => {
        context.on("weberror", (failure) => complaints.push(failure.error().message));
        context.on("console", (message) => {
          if (/content security policy/i.test(message.text())) complaints.push(message.text());
        });
      };
      browser.on("context", listen);
      await provide(complaints);
      browser.off("context", listen);
      expect(complaints, "errors and policy violations in the browser").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
