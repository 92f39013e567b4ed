import { describeError } from "../shared/log/describe-error";
import { type LogFields, logLine } from "../shared/log/log-line";
import { hasLocalSiteUrl } from "./settings/configuration.server";

export interface Log {
  add(fields: LogFields): void;
  end(fields: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Logs a thrown error once; in a deployment without its message, which can quote a visitor. */
  failure(event: string, error: unknown): void;
}

/** The log of one request. `end` writes the request's own line, with all fields passed to `add`. */
export function createLog(requestId: string, env: object): Log {
  const added: LogFields = {};
  /** Remix reports a loader's error twice: for the data and for the page. */
  const failures = new Set<unknown>();
  return {
    add: (fields) => Object.assign(added, fields),
    end: (fields) => console.info(logLine("info", "request", requestId, fields, added)),
    info: (event, fields) => console.info(logLine("info", event, requestId, fields)),
    warn: (event, fields) => console.warn(logLine("warn", event, requestId, fields)),
    error: (event, fields) => console.error(logLine("error", event, requestId, fields)),
    failure(event, error) {
      if (failures.has(error)) return;
      failures.add(error);
      console.error(logLine("error", event, requestId, describeError(error, hasLocalSiteUrl(env))));
    },
  };
}
