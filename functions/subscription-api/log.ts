/** What a log line may hold: names, ids and numbers of ours. Nothing that a visitor typed, no secret. */
export type LogFields = Record<string, string | number | string[] | undefined>;

/** Writes one line of JSON to the Worker's log. */
export function log(level: "info" | "warn" | "error", event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}

/**
 * An error in a form fit for the log: the names of it and its cause, and where it was thrown. Messages are left out,
 * since drivers and providers quote the values that they reject.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    cause: error.cause instanceof Error ? error.cause.name : undefined,
    stack: (error.stack ?? "").split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : [])),
  };
}
