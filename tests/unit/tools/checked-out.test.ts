import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkedOut } from "../../../tools/releases/deployment-stages";

test("a release is named by its commit, and with changed or new files by their content too", () => {
  const folder = mkdtempSync(join(tmpdir(), "checked-out-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@acme.com", ...args], {
      cwd: folder,
      stdio: "ignore",
    });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  expect(checkedOut(folder)).toBeUndefined();
  git("init");
  write("file", "one");
  git("add", ".");
  git("commit", "--message", "A release");
  const clean = checkedOut(folder);
  expect(clean).toEqual({ commit: expect.stringMatching(/^[0-9a-f]{12}$/), subject: "A release", isDirty: false });

  const named = [
    ["file", "two"],
    ["file", "three"],
    ["new", "four"],
  ].map(([name = "", text = ""]) => {
    write(name, text);
    return checkedOut(folder);
  });
  for (const one of named)
    expect(one).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{12}-[0-9a-f]{8}$/), isDirty: true });
  expect(new Set(named.map((one) => one?.commit)).size).toBe(3);
  write("new", "four");
  expect(checkedOut(folder)).toEqual(named.at(-1));
});
