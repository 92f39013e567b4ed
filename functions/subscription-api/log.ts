import { AsyncLocalStorage } from "node:async_hooks";
import { describeError } from "../../app/shared/log/describe-error";
import { type LogFields, type LogLevel, logLine } from "../../app/shared/log/log-line";

/*
 * The API's log. Its format and rules are the site's (app/shared/log/). The site hands its log from the
 * context to each call; here cron runs and code deep below a request log too, so the request ID comes from the asynchronous context.
 */

/** What a request's or a cron run's log lines share. */
type LogContext = {
  requestId: string;
  /** True on a developer's machine, where errors are logged with their messages. */
  isLocal: boolean;
};

const contexts = new AsyncLocalStorage<LogContext>();

export function log(level: LogLevel, event: string, fields?: LogFields): void {
  console[level](logLine(level, event, contexts.getStore()?.requestId, fields));
}

/** Logs an error that was thrown; in a deployment without its message, which can quote a visitor. */
export function logFailure(event: string, error: unknown, fields?: LogFields, level: LogLevel = "error"): void {
  log(level, event, { ...fields, ...describeError(error, contexts.getStore()?.isLocal ?? false) });
}

/** All log lines that the work writes share this context, even after the response. */
export function withLogContext<T>(context: LogContext, work: () => Promise<T>): Promise<T> {
  return contexts.run(context, work);
}
