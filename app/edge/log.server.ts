/** What a log line may carry besides its event: facts about requests, never a visitor's data. */
type Fields = Record<string, string | number | boolean | string[] | undefined>;

/** Writes events of one request, each as one line of JSON (fit for Workers Logs). */
export interface Log {
  /** Adds to the line that ends the request, for facts that need no line of their own. */
  add(fields: Fields): void;
  /** Writes the line that ends the request. */
  end(fields: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/** A log whose lines carry the request id, the one that error pages show and the subscription API gets. */
export function createLog(requestId: string): Log {
  const added: Fields = {};
  const line = (event: string, ...fields: [Fields?, Fields?]) =>
    JSON.stringify(Object.assign({ event, request_id: requestId }, ...fields));
  return {
    add: (fields) => Object.assign(added, fields),
    end: (fields) => console.info(line("request", fields, added)),
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
