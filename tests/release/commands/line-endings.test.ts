import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";

/** A zip of the repository has no commits to check out. */
test.runIf(existsSync(join(root, ".git")))(
  "a checkout as Git for Windows makes it has no line that ends in CRLF, which the linter refuses",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "windows-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    execFileSync("git", ["clone", "--quiet", "--depth=1", "-c", "core.autocrlf=true", `file://${root}`, folder]);
    const endings = execFileSync("git", ["ls-files", "--eol"], { cwd: folder, encoding: "utf8" }).split("\n");
    expect(endings.length).toBeGreaterThan(500);
    expect(endings.filter((line) => line.includes("w/crlf") || line.includes("w/mixed"))).toEqual([]);
  },
);
