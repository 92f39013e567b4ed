import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export type Stage = "staging" | "production";

/** By its Worker's folder from the root of the repository. */
export type Folder = "." | "functions/subscription-api";

export const API_FOLDER = "functions/subscription-api";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");

/** @param options.asks lets it ask, and write, in the terminal; `stdout` then is empty */
export function runWrangler(
  args: string[],
  { stage, folder, asks = false, env = {} }: { stage: Stage; folder: Folder; asks?: boolean; env?: NodeJS.ProcessEnv },
): { succeeded: boolean; stdout: string; stderr: string } {
  const quiet = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [wrangler, ...args, "--env", stage, "--cwd", folder],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      stdio: asks ? ["inherit", "inherit", "pipe"] : ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(!asks && { CI: "1", FORCE_COLOR: "0" }), ...quiet, ...env },
    },
  );
  if (error) throw error;
  const succeeded = status === 0;
  return { succeeded, stdout: stripVTControlCharacters(stdout ?? ""), stderr: stripVTControlCharacters(stderr) };
}

export function wranglerCommand(command: string, stage: Stage, folder: Folder): string {
  return `npx wrangler ${command} --env ${stage}${folder === "." ? "" : ` --cwd ${folder}`}`;
}

export function scriptCommand(script: "deploy" | "deploy:subscription-api" | "catalog", stage: Stage): string {
  if (script === "catalog") return `read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog -- --${stage}`;
  return `npm run ${script}${stage === "staging" ? " -- --staging" : ""}`;
}
