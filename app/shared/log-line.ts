export type LogLevel = "info" | "warn" | "error";

/** Names, ids and numbers of our own: nothing that a visitor typed, and no secret. */
export type LogFields = Record<string, string | number | boolean | string[] | undefined>;

/** One line of JSON, as every Worker logs it. */
export function logLine(
  level: LogLevel,
  event: string,
  requestId: string | undefined,
  ...fields: readonly (LogFields | undefined)[]
): string {
  return JSON.stringify(Object.assign({ level, event, request_id: requestId }, ...fields));
}
