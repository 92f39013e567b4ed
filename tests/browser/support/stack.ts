import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from "@playwright/test";
import { type Stack, startStack } from "../../support/visitors/visited-site";

type Fixtures = {
  complaints: string[];
  /** Opens a page in a browser of its own, for example without scripts. */
  elsewhere: (options?: BrowserContextOptions) => Promise<Page>;
};

/**
 * Playwright's `test` with a stack for each of Playwright's workers; URLs are relative to its site. Every test fails
 * when the browser reports an error in a script or a violation of the Content Security Policy.
 */
export const test = base.extend<Fixtures, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const stack = await startStack();
      await provide(stack);
      await stack.dispose();
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
          // React logs the errors that an error boundary catches.
          if (/content security policy|^\w*(Error|Exception)\b/i.test(message.text())) complaints.push(message.text());
        });
      };
      browser.on("context", listen);
      await provide(complaints);
      browser.off("context", listen);
      expect(complaints, "errors and policy violations in the browser").toEqual([]);
    },
    { auto: true },
  ],
  elsewhere: async ({ browser, baseURL }, provide) => {
    const contexts: BrowserContext[] = [];
    await provide(async (options) => {
      const context = await browser.newContext({ baseURL: baseURL ?? "", ...options });
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

export { expect } from "@playwright/test";
