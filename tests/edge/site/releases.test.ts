import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/* What a browser that was here before has to load again after a release. */

const root = join(import.meta.dirname, "../../..");
const SOURCES = ["app", "functions", "package.json", "postcss.config.js", "remix.config.js", "tsconfig.json", "public"];

let copy: string;

beforeAll(async () => {
  // Below the repository, for its packages.
  copy = await mkdtemp(join(root, "build/release-"));
  for (const source of SOURCES) await cp(join(root, source), join(copy, source), { recursive: true });
});

afterAll(() => rm(copy, { recursive: true }));

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "public/build"), { recursive: true });
  return names.filter((name) => /\.(js|css|woff2)$/.test(name) && !name.startsWith("manifest-")).sort();
}

test("a release that changes one feature renames its file alone", async () => {
  const card = join(copy, "app/signup/card/card-form.tsx");
  const code = await readFile(card, "utf8");
  expect(code).toContain('"Processing..." : "Pay"');
  await writeFile(card, code.replace('"Processing..." : "Pay"', '"Processing..." : "Pay now"'));
  execFileSync("npm", ["run", "--silent", "build:browser"], {
    cwd: copy,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "pipe",
  });

  const [before, after] = await Promise.all([root, copy].map(filesOf));
  const gone = before?.filter((name) => !after?.includes(name));
  const come = after?.filter((name) => !before?.includes(name));
  expect({ gone, come }).toEqual({
    gone: [expect.stringMatching(/^card-form-\w+\.js$/)],
    come: [expect.stringMatching(/^card-form-\w+\.js$/)],
  });
});
