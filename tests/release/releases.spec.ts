import { cp } from "node:fs/promises";
import { join, relative } from "node:path";
import { root } from "../../tools/wrangler/wrangler";
import { CARDS, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test as withStack } from "../browser/support/stack";
import { varsFor } from "../support/visitors/visited-site";
import { rows } from "../support/visitors/visitor";
import { type Address, openAddress } from "../support/workers/address";
import { type RunningWorker, startSite } from "../support/workers/workers";
import { checkOut } from "./commands/checkout";

/* A release replaces another under an open page, and is rolled back. The later release has the earlier one's files. */

const CHANGES = [
  {
    file: "app/signup/card/stripe-elements.tsx",
    from: "Try again",
    to: "Try once more",
  },
  { file: "app/signup/done/success-step.tsx", from: "Subscription Details", to: "Subscription details" },
  { file: "app/signup/form/signup-form.tsx", from: "All fields are required", to: "Every field is required" },
];

/** Builds the later release in a copy of the repository, after `npm run build`. */
async function buildLaterRelease() {
  const { folder, change, run, dispose } = await checkOut();
  await cp(join(root, ".releases"), join(folder, ".releases"), { recursive: true });
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

for (const direction of ["deployed", "rolled back"] as const) {
  test(`a release that is ${direction} while the form is filled in loses no data and creates no second sign-up`, async ({
    page,
    stack: { api },
    releases: { origin, earlier, later },
  }) => {
    const [open, next] = direction === "deployed" ? [earlier, later] : [later, earlier];
    const documents: string[] = [];
    const missing: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 404) missing.push(response.url());
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        documents.push(response.url());
    });
    origin.leadTo(new URL(open.url));
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    origin.leadTo(new URL(next.url));
    await visitor.submit();
    await visitor.pay(CARDS.works);
    await visitor.succeeded();
    // The first release again reads the other one's cookie.
    origin.leadTo(new URL(open.url));
    await page.reload();
    await visitor.succeeded();
    const found = await rows(api, "SELECT id FROM sign_ups WHERE email = ?", visitor.email);
    expect(found).toHaveLength(1);
    expect(documents).toHaveLength(2);
    expect(missing).toEqual([]);
  });
}
