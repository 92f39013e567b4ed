/** What a log line may carry besides its event: facts about requests, never a visitor's data. */
type Fields = Record<string, string | number | boolean | string[] | undefined>;

/** Writes events of one request, each as one line of JSON (fit for Workers Logs). */
export interface Log {
  /** Adds to the line with which the request ends: what is no event of its own costs no line of its own. */
  note(fields: Fields): void;
  /** The line with which the request ends. */
  end(fields: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/** A log whose lines carry the id of the request, the one that error pages show and upstream gets. */
export function createLog(requestId: string): Log {
  const noted: Fields = {};
  const line = (event: string, ...fields: [Fields?, Fields?]) =>
    JSON.stringify(Object.assign({ event, request_id: requestId }, ...fields));
  return {
    note: (fields) => Object.assign(noted, fields),
    end: (fields) => console.info(line("request", fields, noted)),
    info: (event, fields) => console.info(line(event, fields)),
    warn: (event, fields) => console.warn(line(event, fields)),
    error: (event, fields) => console.error(line(event, fields)),
  };
}

/** What may be logged of something thrown: its kind and where it came from. A message can quote what a visitor typed. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, stack: error.stack?.split("\n").slice(1, 6).join("\n") };
}
