import { chmod, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { scripts } from "../../../package.json";
import { filledIn, filledInCompany } from "../../support/filled-in-settings";
import { checkOut, NOBODY } from "./checkout";
import { startCloudflare } from "./cloudflare";

/* Mistyped commands change nothing, here or in the account, and each says what to type. */

const OPERATOR_TOKEN = "the-token-of-an-operator-in-the-tests";

const checkout = await checkOut();
const cloudflare = await startCloudflare();
afterAll(async () => {
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

/** Types a line after `npm run`, and expects that it ends so and that nothing was written. Returns what it says. */
async function type(line: string, { exitCode = 1, uid }: { exitCode?: number; uid?: number | undefined } = {}) {
  const before = await files();
  cloudflare.changes.length = 0;
  const env = { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" };
  const ended = await checkout.npm(["run", "--silent", ...line.split(" ")], env, uid);
  expect({ exitCode: ended.exitCode, changes: cloudflare.changes }, ended.output).toEqual({ exitCode, changes: [] });
  expect(await files()).toEqual(before);
  return ended.output;
}

/** Of each program of ours one script: first those that act without an argument, and take no word. */
const ALONE = ["start", "build", "docs", "images", "backup:key", "test", "test:stripe", "simulate", "bench"];
/** Scripts that need a target. */
const WITH_TARGET = ["preflight", "deploy", "rollback", "smoke", "stripe:setup", "backup", "restore", "export"];

test("every program that a script runs has a row here", () => {
  const programs = new Map(
    Object.entries(scripts).flatMap(([name, line]) => {
      const program = /^node --import tsx (\S+)/.exec(line)?.[1];
      return program === undefined ? [] : [[name, program] as const];
    }),
  );
  const ofRows = [...ALONE, ...WITH_TARGET].map((name) => programs.get(name));
  expect(ofRows.sort()).toEqual([...new Set(programs.values())].sort());
});

test.each<{ line: string; says: RegExp; exitCode?: number }>([
  ...ALONE.map((script) => ({ line: `${script} nonsense`, says: /^[^\n]*"nonsense"[^\n]*\n$/ })),
  ...WITH_TARGET.map((script) => ({ line: script, says: /needs a target\. Type:\n {2}npm run / })),
  { line: "preflight production --offline", says: /npm run preflight production -- --offline/ },
  { line: "restore production -- --file a.age", says: /read -rs BACKUP_KEY && export BACKUP_KEY/ },
  { line: "test:stripe", says: /^STRIPE_SECRET_KEY is not a test key \(sk_test_…\)\. Nothing was asked\.\n$/ },
  { line: "bench -- --only nonsense", says: /^No row or table has "nonsense" in its name\.\n$/ },
  { line: "bench -- --write --only form", says: /^Only a whole run is published: npm run bench -- --write\n$/ },
  { line: "simulate -- --seed x", says: /^--seed is "x", which is not a whole number\.\n$/ },
  { line: "build -- --help", says: /^Usage: npm run build\b/, exitCode: 0 },
])("npm run $line in a fresh clone writes nothing, and says what to type", async ({ line, says, exitCode = 1 }) => {
  expect(await type(line, { exitCode })).toMatch(says);
});

test("npm run stripe:setup without a network names the cause and the next step", async () => {
  const output = await type("stripe:setup production -- --check");
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
  const output = await type("deploy production", { uid: process.getuid?.() === 0 ? NOBODY : undefined });
  expect(output).toMatch(/which is read-only: git clone \S+ \{a folder of your own\}/);
});

test("a deployment from an unzipped folder writes nothing, and says to clone it", async () => {
  await rm(join(checkout.folder, ".git"), { recursive: true, force: true });
  expect(await type("deploy production")).toContain("git clone the repository instead of downloading it");
});
