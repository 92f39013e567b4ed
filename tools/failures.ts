import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An expected failure, whose message says what to do. */
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

/** The stack only of an unexpected error. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ToolError) return error.message;
  const known = tomlError.safeParse(error).data ?? wrongOption.safeParse(error).data ?? diskError.safeParse(error).data;
  if (known !== undefined) return known;
  if (error.message === "fetch failed") return `The host cannot be reached (${causeOf(error)}): look at the network.`;
  return error.stack ?? error.message;
}

/** Why a `fetch` failed, in a few words, such as `getaddrinfo ENOTFOUND www.acme.com`. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // If several addresses failed, each has its own error, and the aggregate has no message.
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}

const place = z.object({ file: z.string(), line: z.number(), column: z.number(), lineText: z.string() });
const tomlError = z
  .object({ message: z.string(), location: place })
  .transform(({ message, location: { file, line, column, lineText } }) => {
    const reason = message.replace(/^Invalid TOML document: /, "").replace(/\s+/g, " ");
    return `${relative(root, file)}:${line}:${column} is no valid TOML (${reason}): fix the line \`${lineText.trim()}\`, or the line before it.`;
  });

const wrongOption = z
  .object({ code: z.string().startsWith("ERR_PARSE_ARGS"), message: z.string() })
  .transform(({ message }) => `${message.split(". ")[0]?.replace(/\.$/, "")}: see docs/operations.md for the options.`);

const diskError = z
  .object({ code: z.enum(["ENOSPC", "EROFS", "EACCES", "EPERM"]), message: z.string() })
  .transform(({ code, message }) =>
    code === "ENOSPC"
      ? "The disk is full: free some space, then run this again."
      : `No file can be written: ${message}.`,
  );
