import { AsyncLocalStorage } from "node:async_hooks";
import { describeError } from "../../app/shared/log/describe-error";
import { type LogFields, type LogLevel, logLine } from "../../app/shared/log/log-line";
import { isCopied } from "./database";

/* Cron runs and code deep below a request log too, so the request ID is in a context; the site hands its log to each call. */

type LogContext = {
  requestId: string;
  /** True on a developer's machine, where errors are logged with their messages. */
  isLocal: boolean;
};

const contexts = new AsyncLocalStorage<LogContext>();

export function log(level: LogLevel, event: string, fields?: LogFields): void {
  console[level](logLine(level, event, contexts.getStore()?.requestId, fields));
}

/** A deployment omits the error's message, which can quote a visitor. Nobody is paged while the database is copied. */
export function logFailure(event: string, error: unknown, fields?: LogFields, level: LogLevel = "error"): void {
  const described = { ...fields, ...describeError(error, contexts.getStore()?.isLocal ?? false) };
  if (isCopied(error)) log("warn", "database_copied", { ...described, during: event });
  else log(level, event, described);
}

/** All log lines that the work writes share this context, even after the response. */
export function withLogContext<T>(context: LogContext, work: () => Promise<T>): Promise<T> {
  return contexts.run(context, work);
}
