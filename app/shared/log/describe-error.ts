type ErrorFields = { error: string; message?: string; cause?: string; stack?: string[] };

// Messages that never quote a visitor: SQLite names no values, because every value is bound. D1's own
// (https://developers.cloudflare.com/d1/observability/debug-d1/#error-list) and the runtime's are fixed.
const WITHOUT_VISITORS_WORDS =
  /^D1_ERROR: .*: SQLITE_\w+|^(?:D1_ERROR: )?(?:Network connection lost|internal error; reference|Cannot perform I\/O|D1 DB |Internal error (?:in|while) |Cannot resolve D1 DB |Currently processing |Exceeded maximum DB size|Your account has exceeded D1)/;

const STACK_FRAME = /^ +at .+:\d+:\d+\)?$/;

/** A message can quote a visitor, so only a log on a developer's machine (`isLocal`) has messages of every kind. */
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
