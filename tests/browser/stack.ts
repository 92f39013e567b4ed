import { test as base } from "@playwright/test";
import { type RunningWorker, startBackend, startSite } from "../support/workers";

/** The three Workers, as `npm start` runs them. */
export type Stack = { site: RunningWorker; api: RunningWorker; stripe: RunningWorker };

/** Playwright's `test` with a stack of its own for each of Playwright's workers; addresses are relative to its site. */
export const test = base.extend<object, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const { api, stripe, dispose } = await startBackend();
      const site = await startSite({
        vars: { SUBSCRIPTION_API_URL: api.url, STRIPE_JS_URL: `${stripe.url}/endive/stripe.js` },
      });
      await provide({ site, api, stripe });
      await Promise.all([site.dispose(), dispose()]);
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ stack }, provide) => provide(stack.site.url),
});

export { expect } from "@playwright/test";
