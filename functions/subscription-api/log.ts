import { AsyncLocalStorage } from "node:async_hooks";

const requestIds = new AsyncLocalStorage<string>();

/** Our own names, ids and numbers: nothing that a visitor typed, and no secret. */
export type LogFields = Record<string, string | number | string[] | undefined>;

export function log(level: "info" | "warn" | "error", event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ level, event, request_id: requestIds.getStore(), ...fields }));
}

/** Every line that the work logs, also after the response, has the request's id. */
export function withRequestId<T>(id: string, work: () => Promise<T>): Promise<T> {
  return requestIds.run(id, work);
}

/** An error without its messages, since drivers and providers quote the values that they reject. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    cause: error.cause instanceof Error ? error.cause.name : undefined,
    stack: (error.stack ?? "").split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : [])),
  };
}
