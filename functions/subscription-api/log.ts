import { AsyncLocalStorage } from "node:async_hooks";
import { type LogFields, type LogLevel, logLine } from "../../app/shared/log-line";

const requestIds = new AsyncLocalStorage<string>();

export function log(level: LogLevel, event: string, fields?: LogFields): void {
  console[level](logLine(level, event, requestIds.getStore(), fields));
}

export const errorLog = { error: log.bind(undefined, "error") };

/** All log lines that the work writes have this request ID, even after the response. */
export function withRequestId<T>(id: string, work: () => Promise<T>): Promise<T> {
  return requestIds.run(id, work);
}
