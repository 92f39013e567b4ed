import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWritable } from "../../../../tools/start/state-folder";

test("a missing folder is made", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "state-")), "a/b");
  makeWritable(folder);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

test("a folder that cannot be created is reported with its path and what to do", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "state-")), "a-file");
  await writeFile(file, "");
  expect(() => makeWritable(file)).toThrow(
    `${file} cannot be written (EEXIST): delete it, or make this user its owner`,
  );
});
