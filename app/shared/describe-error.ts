export type ErrorFields = { error: string; message?: string; cause?: string; stack?: string[] };

/** Only `npm run dev` bundles so. */
const IS_DEVELOPMENT = process.env.NODE_ENV === "development";

const STACK_FRAME = /^ +at .+:\d+:\d+\)?$/;

/**
 * An error for the log: its name, its cause's name and its stack, and outside `npm run dev` never a message,
 * which can quote a visitor.
 */
export function describeError(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    ...(IS_DEVELOPMENT && { message: error.message }),
    ...(error.cause instanceof Error && { cause: error.cause.name }),
    stack: framesOf(error),
  };
}

/** A stack begins with the message, whose lines can look like stack frames. */
function framesOf({ stack = "", message }: Error): string[] {
  const withoutMessage = stack.replace(message, () => "");
  return withoutMessage.split("\n").flatMap((line) => (STACK_FRAME.test(line) ? [line.trim()] : []));
}
