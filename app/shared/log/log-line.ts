export type LogLevel = "info" | "warn" | "error";

/** Only our own names, IDs and numbers, and the path of a failed request: nothing else from a visitor and no secret. */
export type LogFields = Record<string, string | number | boolean | string[] | undefined>;

export function logLine(
  level: LogLevel,
  event: string,
  requestId: string | undefined,
  ...fields: readonly (LogFields | undefined)[]
): string {
  return JSON.stringify(Object.assign({ level, event, request_id: requestId }, ...fields));
}
