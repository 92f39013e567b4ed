import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { ToolError } from "../failures";
import { root } from "../wrangler/wrangler";

/** `hash` is the first 12 digits of the commit's hash. */
export type Commit = { hash: string; subject: string };

/** Says why a folder outside a git repository cannot be released. */
export const NO_REPOSITORY =
  "this folder is not a git repository, but a release is named by its commit: git clone the repository instead of downloading it, or git init && git add --all && git commit --message 'First release'";

/** The output of a git command in this repository; undefined if it failed. */
export function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

export function isRepository(): boolean {
  return git("log", "-1") !== undefined;
}

/** The commit that names a release. Throws ToolError if files differ from the commit, or if this folder is read-only. */
export function committed(): Commit {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    throw new ToolError(
      `Nothing can be built in ${root}, which is read-only: git clone ${root} {a folder of your own}`,
    );
  }
  const log = git("log", "-1", "--format=%h %s", "--abbrev=12");
  if (log === undefined) throw new ToolError(`✗ ${NO_REPOSITORY}`);
  if (git("status", "--porcelain")?.trim() !== "") {
    throw new ToolError("There are uncommitted changes, but the commit names the release: git add --all && git commit");
  }
  const [hash = "", ...words] = log.trim().split(" ");
  return { hash, subject: words.join(" ") };
}
