import type { Handler } from "./middleware.server";

/** Facts about the request, never visitor data. */
type Fields = Record<string, string | number | boolean | string[] | undefined>;

export interface Log {
  add(fields: Fields): void;
  end(fields: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

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

interface LoggedContext {
  requestId: string;
  route: { pattern: string } | undefined;
  log: Log;
}

/** Ends each request with one line of log. */
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
  });
  return response;
}

const MAX_LOGGED_PATH = 200;
/** So that the `@` of an e-mail address that begins in the logged part is seen: 64 characters before it, each escaped. */
const MAX_SEARCHED_PATH = MAX_LOGGED_PATH + 64 * 3 * 4;

/** An unknown path, without the query. A URL has its control characters escaped; a segment with an `@` may be an e-mail address. */
export function loggedPath({ pathname }: URL): string {
  const segments = pathname.slice(0, MAX_SEARCHED_PATH).split("/");
  const logged = segments.map((segment) => (/@|%40/.test(segment) ? "[e-mail]" : segment));
  return logged.join("/").slice(0, MAX_LOGGED_PATH);
}

/** Name and stack of an error, without its message, which can quote what a visitor typed. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, stack: error.stack?.split("\n").slice(1, 6).join("\n") };
}
