import { spawnSync } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../failures";

/** `hash` is the first 12 digits of the commit's hash. */
export type Commit = { hash: string; subject: string };

export const NO_REPOSITORY =
  "this folder is not a git repository, but a release is named by its commit: git clone the repository instead of downloading it, or git init && git add --all && git commit --message 'First release'";

/** A copy of a database by its name, below any folder but those that commands write. */
const COPIES = ["*.sql", "*.sql.*", "*.sqlite*", "*.dump"];
const NO_COPIES = ["node_modules", "**/.wrangler/**", "build", "functions/subscription-api/migrations/*.sql"];
/** The same by its first bytes: D1's export, SQLite's own dump, SQLite's file. */
const COPY = /^(?:PRAGMA (?:defer_foreign_keys|foreign_keys)|BEGIN TRANSACTION;|SQLite format 3\0)/i;

export type Git = (args: string[]) => string | undefined;

export const gitIn =
  (folder: string): Git =>
  (args) => {
    const { status, stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    return status === 0 ? stdout : undefined;
  };

export function isRepository(git: Git): boolean {
  return git(["log", "-1"]) !== undefined;
}

/** Throws ToolError for changed or new files, for a copy of a database, and for a read-only folder. */
export function committed(folder: string, git: Git): Commit {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new ToolError(
      `Nothing can be built in ${folder}, which is read-only: git clone ${folder} {a folder of your own}`,
    );
  }
  const log = git(["log", "-1", "--format=%h %s", "--abbrev=12"]);
  if (log === undefined) throw new ToolError(`✗ ${NO_REPOSITORY}`);
  // The owner's git may be told to leave new files out.
  const status = git(["status", "--porcelain", "-z", "--untracked-files=all"]) ?? "?";
  const [copy] = databaseCopies(folder, git, status);
  if (copy !== undefined)
    throw new ToolError(
      `✗ ${copy} is a copy of a database, with everybody's data. Do not commit it: move it out of this folder. npm run backup writes encrypted copies elsewhere.`,
    );
  if (status !== "")
    throw new ToolError("There are uncommitted changes, but the commit names the release: git add --all && git commit");
  const [hash = "", ...words] = log.trim().split(" ");
  return { hash, subject: words.join(" ") };
}

/** Files that are copies of a database: by their names, also committed and ignored ones, and uncommitted ones by their content. */
function databaseCopies(folder: string, git: Git, status: string): string[] {
  const without = NO_COPIES.map((path) => `:(exclude,glob)${path}`);
  const named = git(["ls-files", "-z", "--cached", "--others", "--", ...COPIES, ...without]) ?? "";
  const changed = status.split("\0").map((line) => line.slice(3));
  return [...named.split("\0"), ...changed.filter((path) => COPY.test(beginningOf(join(folder, path))))].filter(
    Boolean,
  );
}

function beginningOf(file: string): string {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return "";
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(32);
    return bytes.subarray(0, readSync(opened, bytes)).toString("latin1");
  } finally {
    closeSync(opened);
  }
}
