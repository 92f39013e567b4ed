import { spawnSync } from "node:child_process";
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

/** The checked-out commit, of 12 digits; undefined outside a git repository. */
export function checkedOut(folder: string = root): { commit: string; subject: string; isDirty: boolean } | undefined {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  const { status, stdout } = git("log", "-1", "--format=%h %s", "--abbrev=12");
  if (status !== 0) return undefined;
  const [commit = "", ...words] = stdout.trim().split(" ");
  return { commit, subject: words.join(" "), isDirty: git("status", "--porcelain").stdout.trim() !== "" };
}
