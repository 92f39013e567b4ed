type ErrorFields = { error: string; message?: string; cause?: string; stack?: string[] };

/**
 * Messages from SQLite, D1 and the runtime, which never quote a visitor. SQLite names tables, columns and our SQL, but no values,
 * because every value is bound. D1's own (https://developers.cloudflare.com/d1/observability/debug-d1/#error-list) and the runtime's
 * are fixed.
 */
const WITHOUT_VISITORS_WORDS =
  /^D1_ERROR: .*: SQLITE_\w+|^(?:D1_ERROR: )?(?:Network connection lost|internal error; reference|Cannot perform I\/O|D1 DB |Internal error (?:in|while) |Cannot resolve D1 DB |Exceeded maximum DB size|Your account has exceeded D1)/;

const STACK_FRAME = /^ +at .+:\d+:\d+\)?$/;

/**
 * An error for the log: its name, its cause's name and its stack. A message can quote a visitor, so a deployment only logs messages
 * from SQLite and the runtime.
 * @param isLocal true on a developer's machine, where the log has every message
 */
export function describeError(error: unknown, isLocal: boolean): ErrorFields {
  if (!(error instanceof Error)) return { error: isLocal ? String(error) : typeof error };
  const { name, message, cause } = error;
  return {
    error: name,
    ...((isLocal || WITHOUT_VISITORS_WORDS.test(message)) && { message }),
    ...(cause instanceof Error && { cause: isLocal ? String(cause) : cause.name }),
    stack: framesOf(error),
  };
}

/** A stack begins with the message, whose lines can look like stack frames. */
function framesOf({ stack = "", message }: Error): string[] {
  const withoutMessage = stack.replace(message, () => "");
  return withoutMessage.split("\n").flatMap((line) => (STACK_FRAME.test(line) ? [line.trim()] : []));
}
