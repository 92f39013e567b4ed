import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../failures";
import { onPorts, portsOf } from "../start/addresses";
import { readWorkerSettings, type WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../wrangler/wrangler";

export function stageOf(options: { staging?: boolean | undefined; production?: boolean | undefined }): Stage {
  if (options.staging && options.production) throw new ToolError("Choose one of --staging and --production.");
  return options.staging === true ? "staging" : "production";
}

/** Both wrangler.toml files; on this machine the variable PORT moves the Workers. */
export function settingsOf(stage?: Stage): { site: WorkerSettings; api: WorkerSettings } {
  const read = (folder: string) => {
    const settings = readWorkerSettings(join(root, folder, "wrangler.toml"), stage);
    return stage ? settings : { ...settings, vars: onPorts(settings.vars, portsOf(process.env)) };
  };
  return { site: read("."), api: read(API_FOLDER) };
}

/** Without a slash at the end. */
export function urlIn({ vars }: WorkerSettings, name: string): string {
  return String(vars[name]).replace(/\/+$/, "");
}

/** `commit` names the exact files: with changes, the commit and the tree that `git add` would make. */
export type CheckedOut = { commit: string; subject: string; isDirty: boolean };

/** Undefined outside a git repository. */
export function checkedOut(folder: string = root): CheckedOut | undefined {
  const git = (args: string[], env?: NodeJS.ProcessEnv) =>
    spawnSync("git", args, { cwd: folder, encoding: "utf8", env: { ...process.env, ...env } });
  const { status, stdout } = git(["log", "-1", "--format=%h %s", "--abbrev=12"]);
  if (status !== 0) return undefined;
  const [hash = "", ...words] = stdout.trim().split(" ");
  const subject = words.join(" ");
  if (git(["status", "--porcelain"]).stdout.trim() === "") return { commit: hash, subject, isDirty: false };
  const index = join(tmpdir(), `index-${process.pid}`);
  try {
    git(["read-tree", "HEAD"], { GIT_INDEX_FILE: index });
    git(["add", "--all"], { GIT_INDEX_FILE: index });
    const tree = git(["write-tree"], { GIT_INDEX_FILE: index }).stdout.slice(0, 8);
    return { commit: `${hash}-${tree}`, subject, isDirty: true };
  } finally {
    rmSync(index, { force: true });
  }
}
