import type { LogFields } from "../log/log-line";

/**
 * Why a call to another service gave no usable answer, for the log:
 * - `deadline`: no answer in time
 * - `connection`: refused or broken off
 * - `dns or tls`: the runtime says no more than that
 * - `status`: an error status, logged beside it
 * - `answer`: too long, or in an unexpected format
 */
export interface FailedCall extends LogFields {
  cause: "deadline" | "connection" | "dns or tls" | "status" | "answer";
  status?: number;
}

/** The cause of an error thrown while a service was asked or its answer was parsed. Names and messages are workerd's and Zod's. */
export function failedCall(error: unknown): FailedCall {
  const { name, message } = error instanceof Error ? error : new Error();
  if (name === "TimeoutError") return { cause: "deadline" };
  if (name === "SyntaxError" || name === "$ZodError") return { cause: "answer" };
  return { cause: message.startsWith("internal error") ? "dns or tls" : "connection" };
}

/** The cause where a body was not read. @param signal the call's deadline */
export function failedBody(status: "too long" | "too slow" | "aborted", signal: AbortSignal): FailedCall {
  if (status === "too long") return { cause: "answer" };
  return { cause: signal.aborted ? "deadline" : "connection" };
}
