import { chmod, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { filledIn, filledInCompany } from "../../support/filled-in-settings";
import { checkOut } from "./checkout";
import { startCloudflare } from "./cloudflare";

/* Mistyped commands change nothing, here or in the account, and each says what to type. */

const OPERATOR_TOKEN = "the-token-of-an-operator-in-the-tests";
/** Any user but root, who may write everywhere. */
const NOBODY = 65_534;

const checkout = await checkOut();
const cloudflare = await startCloudflare();
afterAll(async () => {
  await chmod(checkout.folder, 0o755);
  await checkout.dispose();
  await cloudflare.dispose();
});
beforeAll(async () => {
  for (const file of ["wrangler.toml", "functions/subscription-api/wrangler.toml"])
    await checkout.change(file, filledIn);
  await checkout.change("app/company.ts", filledInCompany);
  checkout.commit();
});

/** The files of the checkout with the time of their last change. */
async function files(): Promise<string[]> {
  const names = await readdir(checkout.folder, { recursive: true });
  const own = names.filter((name) => !/^(?:\.git|node_modules)(?:\/|$)/.test(name));
  return Promise.all(own.sort().map(async (name) => `${name} ${(await stat(join(checkout.folder, name))).mtimeMs}`));
}

/** Types a line after `npm run`, and expects that nothing was written. */
async function type(line: string, uid?: number) {
  const before = await files();
  cloudflare.changes.length = 0;
  const env = { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" };
  const ended = await checkout.npm(["run", "--silent", ...line.split(" ")], env, uid);
  expect(cloudflare.changes).toEqual([]);
  expect(await files()).toEqual(before);
  expect(ended.exitCode).toBe(1);
  return ended.output;
}

test.each([
  { line: "deploy", says: "npm run deploy production\n  npm run deploy staging" },
  { line: "deploy --staging", says: "npm run deploy staging" },
  { line: "deploy --production", says: "npm run deploy production" },
  { line: "deploy -- --staging", says: "npm run deploy staging" },
  { line: "deploy staging -- --production", says: "npm run deploy staging\n  npm run deploy production" },
  { line: "deploy prod", says: "npm run deploy production" },
  { line: "preflight --staging", says: "npm run preflight staging" },
  { line: "preflight production --offline", says: "npm run preflight production -- --offline" },
  { line: "rollback abcdefabcdef", says: "npm run rollback production {commit}" },
  { line: "rollback --staging abcdefabcdef", says: "npm run rollback staging {commit}" },
  { line: "rollback staging", says: "npm run rollback staging {commit}" },
  { line: "rollback staging HEAD", says: "type 12 or more digits of its hash" },
  { line: "catalog", says: "npm run catalog production\n  npm run catalog staging\n  npm run catalog local" },
  { line: "catalog --production", says: "npm run catalog production" },
  { line: "erase production", says: "npm run erase production -- --email {email}" },
  { line: "erase production --email ada@example.com", says: "npm run erase production -- --email {email}" },
  { line: "messages production --send-again key", says: "npm run messages production -- --send-again {message}" },
  { line: "smoke", says: "npm run smoke local" },
  { line: "test:stripe", says: "STRIPE_SECRET_KEY is not a test key (sk_test_…). Nothing was asked." },
  { line: "stripe:setup production --check", says: "npm run stripe:setup production -- --check" },
])("npm run $line writes nothing, and says what to type", async ({ line, says }) => {
  expect(await type(line)).toContain(says);
});

test("a deployment from a read-only folder writes nothing, and says to clone it", async () => {
  onTestFinished(() => chmod(checkout.folder, 0o755));
  await chmod(checkout.folder, 0o555);
  // Node's loader of TypeScript writes into the folder for temporary files.
  await chmod(dirname(checkout.folder), 0o777);
  const output = await type("deploy production", process.getuid?.() === 0 ? NOBODY : undefined);
  expect(output).toMatch(/which is read-only: git clone \S+ \{a folder of your own\}/);
});

test.each([{ line: "deploy production" }, { line: "preflight production -- --offline" }])(
  "npm run $line in an unzipped folder writes nothing, and says to clone it",
  async ({ line }) => {
    await rm(join(checkout.folder, ".git"), { recursive: true, force: true });
    expect(await type(line)).toContain("git clone the repository instead of downloading it, or git init");
  },
);
