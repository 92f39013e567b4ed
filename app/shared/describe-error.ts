export type ErrorFields = { error: string; message?: string; cause?: string; stack?: string[] };

/**
 * Messages of the database and the runtime. The database names tables, columns and our SQL, and never a value, since each
 * value is bound; D1's "Failed to parse" quotes rows. The runtime's sentences are fixed.
 */
const WITHOUT_VISITORS_WORDS =
  /^(D1_ERROR: (?!Failed to parse)|Network connection lost|internal error; reference|Cannot perform I\/O on behalf)/;

const STACK_FRAME = /^ +at .+:\d+:\d+\)?$/;

/**
 * An error for the log: its name, its cause's name and its stack. A message can quote a visitor, so only the database and
 * the runtime have theirs.
 */
export function describeError(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    ...(WITHOUT_VISITORS_WORDS.test(error.message) && { message: error.message }),
    ...(error.cause instanceof Error && { cause: error.cause.name }),
    stack: framesOf(error),
  };
}

/** A stack begins with the message, whose lines can look like stack frames. */
function framesOf({ stack = "", message }: Error): string[] {
  const withoutMessage = stack.replace(message, () => "");
  return withoutMessage.split("\n").flatMap((line) => (STACK_FRAME.test(line) ? [line.trim()] : []));
}
