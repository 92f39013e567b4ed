import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { committed, gitIn } from "../../../../tools/releases/commit";
import { root } from "../../../../tools/wrangler/wrangler";

/* Which folder can be released, in a real repository. */

describe.skipIf(spawnSync("git", ["--version"]).error)("with git", () => {
  let folder = "";
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  function write(path: string, text = "x"): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "repository-"));
    git("init", "--quiet");
    git("config", "user.name", "x");
    git("config", "user.email", "x@acme.com");
    write(".gitignore", readFileSync(join(root, ".gitignore"), "utf8"));
    write("app/company.ts");
    write("functions/subscription-api/migrations/0001_first_release.sql");
    git("add", "--all");
    git("commit", "--quiet", "--message", "A release");
  });

  test("a committed folder is named by its commit, with what commands write in it", () => {
    for (const path of ["build/site.js", "node_modules/a/a.sql", ".wrangler/state/v3/d1/a.sqlite", ".dev.vars"])
      write(path);
    expect(committed(folder, gitIn(folder))).toEqual({
      hash: git("rev-parse", "--short=12", "HEAD").trim(),
      subject: "A release",
    });
  });

  test.each([
    { what: "a changed file", path: "app/company.ts" },
    { what: "a new file and git's setting to leave new files out", path: "new.ts", untracked: "no" },
  ])("a folder with $what cannot be released, and says how to commit it", ({ path, untracked }) => {
    if (untracked) git("config", "status.showUntrackedFiles", untracked);
    write(path, "another");
    expect(() => committed(folder, gitIn(folder))).toThrow(
      "There are uncommitted changes, but the commit names the release: git add",
    );
  });

  const DUMP = "PRAGMA defer_foreign_keys=TRUE;\nCREATE TABLE a (id TEXT);";

  test.each([
    { what: "an ignored copy of a database", path: "functions/subscription-api/copy.sql", text: DUMP },
    { what: "an encrypted copy", path: "copy.sql.age" },
    { what: "a copy with another name", path: "a/new/backup.txt", text: DUMP },
    { what: "SQLite's own file", path: "copy", text: "SQLite format 3\0" },
    { what: "a committed copy", path: "copy.sql", text: DUMP, isCommitted: true },
  ])("a folder with $what cannot be released, and is not told to commit it", ({ path, text, isCommitted = false }) => {
    write(path, text);
    if (isCommitted) {
      git("add", "--force", path);
      git("commit", "--quiet", "--message", "Oops");
    }
    expect(() => committed(folder, gitIn(folder))).toThrow(RegExp(`^✗ ${path} is a copy of a database(?!.*git add)`));
  });
});
