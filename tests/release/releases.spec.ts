import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { CARDS, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test as withStack } from "../browser/support/stack";
import { varsFor } from "../support/visitors/visited-site";
import { rows } from "../support/visitors/visitor";
import { type Address, openAddress } from "../support/workers/address";
import { type RunningWorker, startSite } from "../support/workers/workers";

/* A release replaces another under an open page, and is rolled back. The later release has the earlier one's files. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = [
  ...["app", "functions", "tools", "public", ".releases"],
  ...["package.json", "postcss.config.js", "remix.config.js", "tsconfig.json", "wrangler.toml"],
];
const CHANGES = [
  { file: "app/signup/card/card-form.tsx", from: "The payment form could not", to: "The form for the card could not" },
  { file: "app/signup/done/success-step.tsx", from: "Subscription Details", to: "Subscription details" },
  { file: "app/signup/form/signup-form.tsx", from: "All fields are required", to: "Every field is required" },
];

/** Builds the later release in a copy of the repository, after `npm run build`. */
async function buildLaterRelease() {
  // Below the repository, for its packages.
  const folder = await mkdtemp(join(root, "build/release-"));
  for (const source of SOURCES) await cp(join(root, source), join(folder, source), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const { file, from, to } of CHANGES) {
    const code = await readFile(join(folder, file), "utf8");
    if (!code.includes(from)) throw new Error(`${file} does not have: ${from}`);
    await writeFile(join(folder, file), code.replaceAll(from, to));
  }
  const env = { ...process.env, NODE_ENV: "production" };
  execFileSync("npm", ["run", "--silent", "build:site"], { cwd: folder, env, stdio: "pipe" });
  return {
    files: join(folder, "public"),
    bundle: relative(join(root, "build"), join(folder, "build/site/site.js")),
    dispose: () => rm(folder, { recursive: true }),
  };
}

type Releases = { origin: Address; earlier: RunningWorker; later: RunningWorker };

const test = withStack.extend<object, { releases: Releases }>({
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
