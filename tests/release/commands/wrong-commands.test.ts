import { readFileSync } from "node:fs";
import { chmod, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";
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

const refused = async (line: string, uid?: number) => type(line, 1, uid);

/** Types a line after `npm run`, and expects that nothing was written. */
async function type(line: string, exitCode: number, uid?: number) {
  const before = await files();
  cloudflare.changes.length = 0;
  const env = { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" };
  const ended = await checkout.npm(["run", "--silent", ...line.split(" ")], env, uid);
  expect(cloudflare.changes).toEqual([]);
  expect(await files()).toEqual(before);
  expect(ended.exitCode, ended.output).toBe(exitCode);
  return ended.output;
}

test.each([
  { line: "deploy --staging", says: "npm run deploy staging" },
  { line: "preflight production --offline", says: "npm run preflight production -- --offline" },
  { line: "rollback staging HEAD", says: "type 12 or more digits of its hash" },
  { line: "messages production --send-again key", says: "npm run messages production -- --send-again {message}" },
  { line: "test:stripe", says: "STRIPE_SECRET_KEY is not a test key (sk_test_…). Nothing was asked." },
  { line: "backup production", says: "npm run backup production -- --recipient {public key}" },
  { line: "backup production -- --recipient nobody", says: "npm run backup:key makes a pair of keys" },
  { line: "restore production -- --file a.age", says: "read -rs BACKUP_KEY && export BACKUP_KEY" },
])("npm run $line writes nothing, and says what to type", async ({ line, says }) => {
  expect(await refused(line)).toContain(says);
});

/** Scripts that act without an argument, and take no word. */
const ALONE = [
  "start",
  "dev",
  "build",
  "test",
  "test:release",
  "simulate",
  "bench",
  "docs",
  "images",
  "backup:key",
  "test:stripe",
];
/** Scripts that need a target. */
const WITH_TARGET = [
  ...["preflight", "deploy", "rollback", "smoke", "stripe:setup", "backup", "restore"],
  ...["catalog", "export", "erase", "after-restore", "messages", "status"],
];
/** Scripts whose arguments another program reads, or another script. */
const OF_OTHERS: Record<string, string> = {
  "build:site": "npm run build",
  "build:elements": "Wrangler runs it",
  check: "npm run lint",
  typecheck: "tsc",
  ...{ lint: "biome", format: "biome" },
  ...{
    "test:changed": "vitest",
    "test:unit": "vitest",
    "test:workers": "vitest",
    "test:long": "vitest",
    "test:commands": "vitest",
  },
  ...{ "test:browser": "playwright", "test:releases": "playwright" },
};

test("every script of package.json has a row here", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect([...ALONE, ...WITH_TARGET, ...Object.keys(OF_OTHERS)].sort()).toEqual(Object.keys(scripts).sort());
});

test.each([
  ...ALONE.map((script) => ({ line: `${script} nonsense`, says: /^[^\n]*"nonsense"[^\n]*\n$/ })),
  ...WITH_TARGET.map((script) => ({ line: script, says: /needs a target\. Type:\n {2}npm run / })),
  { line: "bench -- --only nonsense", says: /^No row or table has "nonsense" in its name\.\n$/ },
  { line: "bench -- --write --only form", says: /^Only a whole run is published: npm run bench -- --write\n$/ },
  { line: "simulate -- --seed x", says: /^--seed is "x", which is not a whole number\.\n$/ },
])("npm run $line in a fresh clone fails, and says what to type", async ({ line, says }) => {
  expect(await refused(line)).toMatch(says);
});

test.each([...ALONE, ...WITH_TARGET])("npm run %s -- --help shows its usage in a fresh clone", async (script) => {
  expect(await type(`${script} -- --help`, 0)).toMatch(RegExp(`^Usage:\\s+npm (?:run )?${script}\\b`));
});

test("npm run stripe:setup without a network names the cause and the next step", async () => {
  const output = await refused("stripe:setup production -- --check");
  expect(output).toMatch(/Stripe cannot be reached \(.+\): check the network and https:\/\/status\.stripe\.com, then/);
  expect(output).toContain("then: npm run stripe:setup production -- --check");
});

test("npm run bench builds in a fresh clone", async () => {
  const fresh = await checkOut();
  onTestFinished(async () => void (await fresh.dispose()));
  const { output, exitCode } = await fresh.npm(["run", "--silent", "bench", "--", "--quick", "--only", "terms"]);
  expect(output).toContain("Building …");
  expect(exitCode, output).toBe(0);
});

test("a deployment from a read-only folder writes nothing, and says to clone it", async () => {
  onTestFinished(() => chmod(checkout.folder, 0o755));
  await chmod(checkout.folder, 0o555);
  // Node's loader of TypeScript writes into the folder for temporary files. SWC trusts it only with the sticky bit.
  await chmod(dirname(checkout.folder), 0o1777);
  const output = await refused("deploy production", process.getuid?.() === 0 ? NOBODY : undefined);
  expect(output).toMatch(/which is read-only: git clone \S+ \{a folder of your own\}/);
});

test.each([{ line: "deploy production" }, { line: "preflight production -- --offline" }])(
  "npm run $line in an unzipped folder writes nothing, and says to clone it",
  async ({ line }) => {
    await rm(join(checkout.folder, ".git"), { recursive: true, force: true });
    expect(await refused(line)).toContain("git clone the repository instead of downloading it, or git init");
  },
);
