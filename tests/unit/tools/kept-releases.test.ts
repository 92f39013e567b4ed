import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { keepRelease, parseReleases } from "../../../tools/releases/kept-releases";

test("a build has the files of the two releases before it, and lists three releases", async () => {
  const folder = await mkdtemp(join(tmpdir(), "releases-"));
  const [built, kept] = [join(folder, "public/build"), join(folder, ".releases")];
  for (const version of ["one", "two", "three", "four"]) {
    await rm(built, { recursive: true, force: true });
    for (const file of [`manifest-${version}.js`, `routes/$-${version}.js`, `_assets/${version}.css`, "same.js"]) {
      await mkdir(dirname(join(built, file)), { recursive: true });
      await writeFile(join(built, file), version);
    }
    await keepRelease(built, kept);
  }
  const files = (await readdir(built, { recursive: true })).map((name) => basename(name)).sort();
  const expected = [
    "$-four.js",
    "$-three.js",
    "$-two.js",
    "four.css",
    "manifest-four.js",
    "manifest-three.js",
    "manifest-two.js",
    "same.js",
    "three.css",
    "two.css",
  ];
  expect(files.filter((name) => name.includes("."))).toEqual(expected);
  expect(await readFile(join(built, "same.js"), "utf8")).toBe("four");
  const releases = parseReleases(await readFile(join(built, "../releases.json"), "utf8"));
  expect(releases.map(({ version }) => version)).toEqual(["four", "three", "two"]);
});
