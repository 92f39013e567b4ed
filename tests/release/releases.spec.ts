import { join, relative } from "node:path";
import type { Page } from "@playwright/test";
import { root } from "../../tools/wrangler/wrangler";
import { CARDS, hold, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test as withStack } from "../browser/support/stack";
import { varsFor } from "../support/visitors/visited-site";
import { rows } from "../support/visitors/visitor";
import { type Address, openAddress } from "../support/workers/address";
import { type RunningWorker, startSite } from "../support/workers/workers";
import { checkOut } from "./commands/checkout";

/* A release replaces another under an open page, and is rolled back. Neither has files of the other that it does not share. */

const CHANGES = [
  // A part of the card's script, which a page loads late.
  { file: "app/signup/card/card-appearance.ts", from: '"stripe"', to: '"flat"' },
  { file: "app/signup/done/success-step.tsx", from: "Subscription Details", to: "Subscription details" },
  { file: "app/signup/form/signup-form.tsx", from: "All fields are required", to: "Every field is required" },
];

/** Builds the later release in a copy of the repository, after `npm run build`. */
async function buildLaterRelease() {
  const { folder, change, run, dispose } = await checkOut();
  for (const { file, from, to } of CHANGES) {
    await change(file, (code) => {
      if (!code.includes(from)) throw new Error(`${file} does not have: ${from}`);
      return code.replaceAll(from, to);
    });
  }
  const { output, exitCode } = await run("build:site", [], { NODE_ENV: "production" });
  if (exitCode !== 0) throw new Error(output);
  const bundle = relative(join(root, "build"), join(folder, "build/site/site.js"));
  return { files: join(folder, "public"), bundle, dispose };
}

const test = withStack.extend<object, { releases: { origin: Address; earlier: RunningWorker; later: RunningWorker } }>({
  releases: [
    async ({ stack: { api, stripe } }, provide) => {
      const [origin, { files, bundle, dispose }] = await Promise.all([openAddress(), buildLaterRelease()]);
      const vars = { SITE_URL: origin.url, ...varsFor(api, stripe) };
      const [earlier, later] = await Promise.all([startSite({ vars }), startSite({ vars, bundle, files })]);
      await provide({ origin, earlier, later });
      origin.close();
      await Promise.all([earlier.dispose(), later.dispose(), dispose()]);
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ releases }, provide) => provide(releases.origin.url),
});

/** One Playwright worker, because each worker builds the other release. */
test.describe.configure({ mode: "default" });

type Visit = { page: Page; visitor: ReturnType<typeof signup>; release: () => void };

/** When a release goes live: what the visitor does before and after it, and how many documents the browser asks for until the card. */
const MOMENTS: Record<string, { visit: (visit: Visit) => Promise<void>; documents: number }> = {
  // The card's script has arrived with the first key.
  "after the form is filled in": {
    async visit({ page, visitor, release }) {
      const cardScript = page.waitForResponse(/stripe-elements/);
      await page.goto(PLAN);
      await hydrated(page);
      await visitor.fillForm();
      await (await cardScript).finished();
      release();
      await visitor.submit();
    },
    documents: 1,
  },
  // The card's script is gone: the page loads itself again.
  "before the form is filled in": {
    async visit({ page, visitor, release }) {
      await page.goto(PLAN);
      await hydrated(page);
      release();
      await visitor.fillForm();
      await visitor.submit();
    },
    documents: 2,
  },
  // The form's scripts are gone: the browser posts the form, and is redirected.
  "while the form's scripts load": {
    async visit({ page, visitor, release }) {
      const scripts = await hold(page, "**/build/**");
      const document = await page.goto(PLAN, { waitUntil: "commit" });
      await document?.finished();
      release();
      scripts.release();
      await page.waitForLoadState();
      await visitor.fillForm();
      await visitor.submit();
    },
    documents: 3,
  },
};

for (const direction of ["deployed", "rolled back"] as const) {
  for (const [moment, { visit, documents: expected }] of Object.entries(MOMENTS)) {
    test(`a release that is ${direction} ${moment} loses no data and creates no second sign-up`, async ({
      page,
      stack: { api },
      releases: { origin, earlier, later },
    }) => {
      const [open, next] = direction === "deployed" ? [earlier, later] : [later, earlier];
      const documents: string[] = [];
      page.on("response", (response) => {
        const isOwn = response.request().isNavigationRequest() && response.frame() === page.mainFrame();
        if (isOwn) documents.push(`${response.request().method()} ${response.status()}`);
      });
      origin.leadTo(new URL(open.url));
      const visitor = signup(page);
      await visit({ page, visitor, release: () => origin.leadTo(new URL(next.url)) });
      await visitor.pay(CARDS.works);
      expect(documents).toHaveLength(expected);
      await visitor.succeeded();
      // The first release again reads the other one's cookie.
      origin.leadTo(new URL(open.url));
      await page.reload();
      await visitor.succeeded();
      expect(await rows(api, "SELECT id FROM sign_ups WHERE email = ?", visitor.email)).toHaveLength(1);
    });
  }
}
