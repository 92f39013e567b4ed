import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isBotCheck } from "../app/shared/http/failed-call";
import { askThisMachineDirectly } from "./no-proxy";

// Each tool that asks anything over the network imports this file, or makes this call itself.
askThisMachineDirectly(process.env);

/** An expected failure, whose message says what to do. */
export class ToolError extends Error {}

/** A request for a command's usage, which the message is. */
export class Usage extends Error {}

/** True if a module was started by its path, not imported. The path may lead through a link, such as a junction on Windows. */
export function isStarted(url: string): boolean {
  const path = process.argv[1] ?? "";
  return existsSync(path) && realpathSync(path) === fileURLToPath(url);
}

/** Returns whether it did what was asked. */
export type Command = () => boolean | Promise<boolean>;

/** Exits with 1 if `command` returns false or throws. Keeps running if nobody reads the output, as in `| head`. */
export async function runTool(command: Command): Promise<void> {
  process.stdout.on("error", (error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });
  process.exitCode = await exitCodeOf(command);
}

export async function exitCodeOf(command: Command): Promise<0 | 1> {
  try {
    return (await command()) ? 0 : 1;
  } catch (error) {
    return tell(error);
  }
}

/** Says what ended a command, and returns its exit code. */
export function tell(error: unknown): 0 | 1 {
  if (error instanceof Usage) {
    console.log(error.message);
    return 0;
  }
  console.error(messageOf(error));
  return 1;
}

/** The message if the error is expected: ours, a failed system call or an invalid wrangler.toml. Else the stack. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "fetch failed") return `The host cannot be reached (${causeOf(error)}): check the network.`;
  if (error instanceof ToolError) return error.message;
  const { code, path } = { code: "", path: "", ...error };
  if ("syscall" in error) return path && PATHS[code] ? `✗ ${path} ${PATHS[code]}.` : error.message;
  // Only Wrangler's errors about wrangler.toml have this property.
  if (!("telemetryMessage" in error)) return error.stack ?? error.message;
  const { file, line } = "location" in error ? Object(error.location) : {};
  return `${file ? `${file}:${line}: ` : ""}${error.message.trim()}`;
}

const PATHS: Record<string, string> = {
  ENOENT: "does not exist",
  EEXIST: "is already there",
  EISDIR: "is a folder, not a file",
  ENOTDIR: "leads through a file",
  EACCES: "may not be read or written by this user",
};

/** What to do if Cloudflare's bot check answered in a host's place; undefined if it did not. */
export function botCheckAt(url: string, answer: { headers: Headers }): string | undefined {
  if (!isBotCheck(answer)) return undefined;
  return `a bot check answered for ${new URL(url).host} (cf-mitigated: challenge): see "Cloudflare's switches" in docs/operations.md`;
}

/** Why a `fetch` failed, in a few words, such as `getaddrinfo ENOTFOUND www.acme.com`. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // If several addresses failed, each has its own error, and the aggregate has no message.
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}
