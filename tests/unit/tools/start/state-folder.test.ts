import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { makeWritable, stateFolderOf } from "../../../../tools/start/state-folder";

test("a missing folder is made", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "state-")), "a/b");
  makeWritable(folder);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

test("a folder that cannot be created is reported with the existing path that prevents it", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "state-")), "a-file");
  await writeFile(file, "");
  expect(() => makeWritable(join(file, "state"))).toThrow(
    `${file} cannot be written (ENOTDIR): ${platform === "win32" ? "let this user write there" : `make this user its owner with sudo chown -R "$USER" "${file}"`}`,
  );
});

test("each port has its own state, and so has test mode", () => {
  const folders = [8787, 9000].flatMap((port) => [stateFolderOf(port, false), stateFolderOf(port, true)]);
  expect(folders.map((folder) => basename(folder))).toEqual([
    "state",
    "state-test-mode",
    "state-9000",
    "state-test-mode-9000",
  ]);
});
