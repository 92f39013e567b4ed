import { type LogFields, logLine } from "../shared/log-line";
import { loggedPath } from "../shared/logged-path";
import type { Handler } from "./middleware.server";

export interface Log {
  add(fields: LogFields): void;
  end(fields: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A log whose lines all have the request ID. Fields given to `add` are in the line that `end` writes. */
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

interface LoggedContext {
  requestId: string;
  url: URL;
  route: { pattern: string } | undefined;
  log: Log;
}

/** Logs one line per request. */
export async function logRequest<Context extends LoggedContext>(
  request: Request,
  context: Context,
  next: Handler<Context>,
): Promise<Response> {
  const started = Date.now();
  const response = await next(request, context);
  response.headers.set("X-Request-Id", context.requestId);
  context.log.end({
    method: request.method,
    route: context.route?.pattern ?? "unknown",
    status: response.status,
    outcome: response.status >= 500 ? "failed" : "answered",
    duration_ms: Date.now() - started,
    ...(response.status >= 400 && { path: loggedPath(context.url) }),
  });
  return response;
}
