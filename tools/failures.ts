import { askThisMachineDirectly } from "./no-proxy";

// Each tool that asks anything over the network imports this file, or makes this call itself.
askThisMachineDirectly(process.env);

/** An expected failure, whose message says what to do. */
export class ToolError extends Error {}

/**
 * Runs a command and exits with 1 if it returns false or throws. Keeps running if nobody reads its output anymore, as in `| head`.
 */
export async function runTool(command: () => boolean | Promise<boolean>): Promise<void> {
  process.stdout.on("error", (error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });
  try {
    if (!(await command())) process.exitCode = 1;
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}

/** The message if the error is expected: ours, a failed system call or an invalid wrangler.toml. Else the stack. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "fetch failed") return `The host cannot be reached (${causeOf(error)}): check the network.`;
  if (error instanceof ToolError || "syscall" in error) return error.message;
  // Only Wrangler's errors about wrangler.toml have this property.
  if (!("telemetryMessage" in error)) return error.stack ?? error.message;
  const { file, line } = "location" in error ? Object(error.location) : {};
  return `${file ? `${file}:${line}: ` : ""}${error.message.trim()}`;
}

/** Why a `fetch` failed, in a few words, such as `getaddrinfo ENOTFOUND www.acme.com`. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // If several addresses failed, each has its own error, and the aggregate has no message.
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}
