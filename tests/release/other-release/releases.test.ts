import { execFile } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseReleases, type Release, releasesToKeep } from "../../../tools/releases/kept-releases";
import { type RunningWorker, startSite } from "../../support/workers/workers";
import { buildOtherRelease, type OtherRelease } from "./other-release";

const run = promisify(execFile);

/* The files that a returning browser must load again after a release, and those that it can still load. */

const root = fileURLToPath(new URL("../../..", import.meta.url));

let other: OtherRelease;

beforeAll(async () => {
  other = await buildOtherRelease([
    {
      file: "app/signup/card/card-form.tsx",
      from: "The payment form could not",
      to: "The form for the card could not",
    },
  ]);
});

afterAll(() => other.dispose());

async function releasesOf(files: string): Promise<Release[]> {
  return parseReleases(await readFile(join(files, "releases.json"), "utf8"));
}

async function filesOf(files: string): Promise<string[]> {
  const [newest] = await releasesOf(files);
  return newest?.files.filter((name) => /\.(js|css|woff2)$/.test(name) && !name.startsWith("manifest-")) ?? [];
}

test("a release that changes one feature renames only that feature's file", async () => {
  const [before, after] = await Promise.all([join(root, "public"), other.files].map(filesOf));
  const gone = before?.filter((name) => !after?.includes(name));
  const come = after?.filter((name) => !before?.includes(name));
  expect({ gone, come }).toEqual({
    gone: [expect.stringMatching(/^card-form-\w+\.js$/)],
    come: [expect.stringMatching(/^card-form-\w+\.js$/)],
  });
});

test("a build keeps the previous release's files byte for byte [H22]", async () => {
  const [before] = await releasesOf(join(root, "public"));
  const releases = await releasesOf(other.files);
  expect(releases[1]).toEqual(before);
  for (const { files } of releases) {
    for (const file of files) {
      const kept = await readFile(join(other.files, "build", file));
      if (before?.files.includes(file)) expect(kept).toEqual(await readFile(join(root, "public/build", file)));
    }
  }
});

test("a build's list of files names every deployed file and no other", async () => {
  const found = (await readdir(join(other.files, "build"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(other.files, "build/").length));
  expect(found.sort()).toEqual([...new Set((await releasesOf(other.files)).flatMap(({ files }) => files))].sort());
});

describe("a first build on a machine", () => {
  let live: RunningWorker;
  beforeAll(async () => {
    live = await startSite();
  });
  afterAll(() => live.dispose());

  /** Runs in the copy, as `npm run deploy` does in the repository. */
  function takeReleases(siteUrl: string): Promise<string> {
    const script = `import { takeLiveReleases } from "./tools/releases/live-releases.ts";
      console.log(await takeLiveReleases(${JSON.stringify(siteUrl)}));`;
    const node = ["--import", "tsx", "--input-type=module", "--eval", script];
    return run(process.execPath, node, { cwd: other.folder }).then(({ stdout }) => stdout);
  }

  test("a first build takes the live site's earlier files byte for byte [H22]", async () => {
    await rm(join(other.folder, ".releases"), { recursive: true });
    const releases = await releasesOf(join(root, "public"));
    expect(await takeReleases(live.url)).toBe(`The files of ${releases.length} live releases are kept.\n`);
    const kept = join(other.folder, ".releases");
    expect(await releasesOf(kept)).toEqual(releases);
    for (const file of new Set(releases.flatMap(({ files }) => files))) {
      expect(await readFile(join(kept, file))).toEqual(await readFile(join(root, "public/build", file)));
    }
  });

  test("a build keeps its own files if the live site is unreachable", async () => {
    const before = await releasesOf(join(other.folder, ".releases"));
    expect(await takeReleases("http://localhost:1")).toContain("this machine's releases are kept");
    expect(await releasesOf(join(other.folder, ".releases"))).toEqual(before);
  });

  test("browsers revalidate the list of releases each time", async () => {
    const { headers } = await fetch(`${live.url}/releases.json`);
    expect(headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
  });
});

const NOW = new Date("2026-11-22T12:00:00Z");
const hoursAgo = (...hours: number[]): Release[] =>
  hours.map((age) => ({
    version: String(age),
    builtAt: new Date(NOW.getTime() - age * 3_600_000).toISOString(),
    files: [],
  }));

test.each([
  { what: "the last three releases of any age", built: [0, 100, 200, 300, 400], kept: [0, 100, 200] },
  { what: "every release of the last 24 hours", built: [0, 1, 2, 3, 4], kept: [0, 1, 2, 3, 4] },
  {
    what: "a release that was replaced 23 hours ago, but not one replaced 25 hours ago",
    built: [0, 1, 2, 23, 25, 90],
    kept: [0, 1, 2, 23, 25],
  },
])("a build keeps $what [H22]", ({ built, kept }) => {
  expect(releasesToKeep(hoursAgo(...built), NOW).map(({ version }) => Number(version))).toEqual(kept);
});
