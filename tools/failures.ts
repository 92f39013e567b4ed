import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));

export class ToolError extends Error {}

/** Runs a command, which returns false if it failed. */
export async function runTool(command: () => boolean | Promise<boolean>): Promise<void> {
  try {
    if (!(await command())) process.exitCode = 1;
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}

/** Prints the stack only of an unexpected error. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ToolError) return error.message;
  const known =
    tomlError.safeParse(error).data ?? unreadable.safeParse(error).data ?? wrongOption.safeParse(error).data;
  if (known !== undefined) return known;
  const disk = diskSentence(error.message);
  if (disk !== undefined) return disk;
  if (error.message.startsWith("Processing ")) return `${error.message.replace(/\s+/g, " ").replace(/ ?```.*/, "")}`;
  if (error.message === "fetch failed") return `The host cannot be reached (${causeOf(error)}): look at the network.`;
  return error.stack ?? error.message;
}

/** A sentence for a full or read-only disk, from the system's or SQLite's error; undefined for another error. */
export function diskSentence(text: string): string | undefined {
  if (/ENOSPC|no space left on device|SQLITE_FULL|database or disk is full/i.test(text)) {
    return "The disk is full: free some space, then run this again.";
  }
  const [, path] = /(?:EROFS|EACCES|EPERM)[^\n]*?(?:, \w+ '([^']+)')/.exec(text) ?? [];
  if (path === undefined && !/EROFS|SQLITE_READONLY|read-only file system/i.test(text)) return undefined;
  return `${path ? relative(root, path) || path : "This folder"} cannot be written: run this in a clone of your own, on a disk that you may write to.`;
}

/** Why a `fetch` failed, in a few words, such as `getaddrinfo ENOTFOUND www.acme.com`. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // If several addresses failed, each has its own error, and the aggregate has no message.
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}

const tomlError = z
  .object({
    message: z.string(),
    location: z.object({ file: z.string(), line: z.number(), column: z.number(), lineText: z.string() }),
  })
  .transform(({ message, location: { file, line, column, lineText } }) => {
    const reason = message.replace(/^Invalid TOML document: /, "").replace(/\s+/g, " ");
    const place = `${relative(root, file)}:${line}:${column}`;
    return `${place} is no valid TOML (${reason}): fix the line \`${lineText.trim()}\`, or the one before it.`;
  });

const unreadable = z
  .object({ message: z.string().startsWith("Could not read file: ") })
  .transform(({ message }) => `${relative(root, message.slice(21))} cannot be read: get it back from git.`);

const wrongOption = z
  .object({ code: z.string().startsWith("ERR_PARSE_ARGS"), message: z.string() })
  .transform(({ message }) => `${message.split(". ")[0]?.replace(/\.$/, "")}: see docs/deployment.md for the options.`);
