import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

/* `npm test` on a small project with the same scripts. */

const root = join(import.meta.dirname, "../../..");
const ESCAPE = "\u001b";

const vitest = (name: string) => `vitest run --root ${name}`;
const FILES = {
  "package.json": JSON.stringify({
    type: "module",
    scripts: {
      build: "true",
      typecheck: "echo wrong type; exit 1",
      lint: "true",
      "test:unit": vitest("unit"),
      "test:edge": vitest("edge"),
      "test:browser": "playwright test --config browser",
    },
  }),
  "unit/a.test.ts": `import { test } from "vitest"; test("one", () => {}); test("two", () => {});`,
  "edge/b.test.ts": `import { describe, test } from "vitest";
    describe("the site", () => { test("fails", () => { throw new Error("no"); }); test("works", () => {}); });`,
  "edge/c.test.ts": `import "./nothing"; import { test } from "vitest"; test("never", () => {});`,
  "browser/playwright.config.ts": `export default { testDir: "." };`,
  "browser/d.spec.ts": `import { test } from "@playwright/test";
    test.describe("a visitor", () => { test("is lost", () => { throw new Error("no"); }); });`,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "npm-test-"));
  for (const [file, content] of Object.entries(FILES)) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  await mkdir(join(folder, "tests"));
  await cp(join(root, "tests/run.ts"), join(folder, "tests/run.ts"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function npmTest(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["--import", "tsx", "tests/run.ts"], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: undefined,
      FORCE_COLOR: undefined,
      NO_COLOR: undefined,
      VITEST: undefined,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, , [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, exitCode };
}

test("ends with a line for each script and each failed test, then with the sum; without colour in a pipe", async () => {
  const { stdout, exitCode } = await npmTest({});
  expect(exitCode).toBe(1);
  const summary = stdout.slice(stdout.indexOf("── Summary"));
  expect(summary.replace(/ +\d+ s/g, " N s").split("\n")).toEqual([
    "── Summary",
    "✓ build N s",
    "✗ typecheck N s  1 failed",
    "✓ lint N s",
    "✓ test:unit N s  2 passed",
    "✗ test:edge N s  1 passed, 1 failed",
    "    edge/b.test.ts > the site fails",
    "    edge/c.test.ts cannot be run",
    "✗ test:browser N s  1 failed",
    "    d.spec.ts > is lost",
    "",
    "3 passed, 3 failed",
    "",
  ]);
  expect(stdout).toContain("wrong type");
  expect(stdout).not.toContain(ESCAPE);
}, 90_000);

test("is coloured where the environment asks for it; the last line never is", async () => {
  const { stdout } = await npmTest({ FORCE_COLOR: "1" });
  expect(stdout).toContain(`${ESCAPE}[31m✗${ESCAPE}[0m`);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("3 passed, 3 failed");
}, 90_000);
