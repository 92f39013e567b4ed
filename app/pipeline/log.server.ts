import { type LogFields, logLine } from "../shared/log-line";

export interface Log {
  add(fields: LogFields): void;
  end(fields: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A log that puts the request ID in every line. `end` writes the request's line, with all fields passed to `add`. */
export function createLog(requestId: string): Log {
  const added: LogFields = {};
  return {
    add: (fields) => Object.assign(added, fields),
    end: (fields) => console.info(logLine("info", "request", requestId, fields, added)),
    info: (event, fields) => console.info(logLine("info", event, requestId, fields)),
    warn: (event, fields) => console.warn(logLine("warn", event, requestId, fields)),
    error: (event, fields) => console.error(logLine("error", event, requestId, fields)),
  };
}
