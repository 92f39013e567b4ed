import { AsyncLocalStorage } from "node:async_hooks";
import { type LogFields, type LogLevel, logLine } from "../../app/shared/log-line";

const requestIds = new AsyncLocalStorage<string>();

export function log(level: LogLevel, event: string, fields?: LogFields): void {
  console[level](logLine(level, event, requestIds.getStore(), fields));
}

/** For what app/shared logs. */
export const errorLog = { error: log.bind(undefined, "error") };

/** Every line that the work logs, also after the response, has the request's id. */
export function withRequestId<T>(id: string, work: () => Promise<T>): Promise<T> {
  return requestIds.run(id, work);
}
