import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { newTemporaryFolder } from "./temporary-folder";

export const STAGES = ["production", "staging"] as const;
export type Stage = (typeof STAGES)[number];

/** A Worker, by its folder from the root of the repository. */
export type Folder = "." | "functions/subscription-api";

export const API_FOLDER = "functions/subscription-api";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");

export const QUIET = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };

type RunOptions = { stage: Stage; folder: Folder; isShown?: boolean; withinMs?: number | undefined; program?: string };

/** Reading secrets, versions or rows takes seconds. */
const WITHIN_MS = 120_000;

/**
 * @param options.isShown runs Wrangler in the terminal, where it can ask questions; its output is then not returned
 * @param options.withinMs then Wrangler is ended and has failed; undefined for what may take long
 */
export function runWrangler(
  args: string[],
  { stage, folder, isShown = false, program = wrangler, ...limit }: RunOptions,
): { succeeded: boolean; stdout: string; output: string } {
  const command = [program, ...args, "--env", stage, "--cwd", folder];
  const timeout = "withinMs" in limit ? limit.withinMs : isShown ? undefined : WITHIN_MS;
  // Wrangler logs what it prints, also links to the whole database, in a file that other users can read.
  const logs = isShown ? undefined : newTemporaryFolder();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
    cwd: root,
    timeout,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: isShown ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, ...(logs && { CI: "1", FORCE_COLOR: "0", WRANGLER_LOG_PATH: logs }) },
  });
  if (logs) rmSync(logs, { recursive: true, force: true });
  if (error && "code" in error && error.code === "ETIMEDOUT")
    return { succeeded: false, stdout: "", output: `[ERROR] no answer within ${Number(timeout) / 1000} seconds` };
  if (error) throw error;
  const [plain, errors] = [stdout ?? "", stderr ?? ""].map(stripVTControlCharacters);
  return { succeeded: status === 0, stdout: plain ?? "", output: `${errors}\n${plain}` };
}

const LOGIN =
  /necessary to set a CLOUDFLARE_API_TOKEN|not (?:authenticated|logged in)|must be logged in|Authentication (?:error|failed)|Invalid access token|\[code: (?:9106|9109|10000|10001)\]/i;

export function failureIn(output: string): string {
  if (LOGIN.test(output)) {
    return "Cloudflare rejected the login: run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token that can edit Workers, D1 and routes.";
  }
  const [, error = output] = /\[ERROR\]\s*([\s\S]*)/.exec(output) ?? [];
  // Cloudflare's own words and code stand in a paragraph of their own, below Wrangler's.
  const [words = ""] = error.split(/\n\s*(?:If you think|🪵|To learn more)/);
  return `Wrangler says: ${words.replace(/\s+/g, " ").trim() || "nothing"}`;
}

export function wranglerCommand(command: string, stage: Stage, folder: Folder): string {
  return `npx wrangler ${command} --env ${stage}${folder === "." ? "" : ` --cwd ${folder}`}`;
}
