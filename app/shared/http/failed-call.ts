import type { LogFields } from "../log/log-line";

// Why a call to another service gave no usable answer, for the log. `deadline`: no answer in time. `connection`: refused or
// broken off. `dns or tls`: the runtime says no more than that. `status`: an error status, logged beside it. `answer`: too
// long, or in an unexpected format. `bot check`: Cloudflare answered in its place, with a page that only browsers pass.
export interface FailedCall extends LogFields {
  cause: "deadline" | "connection" | "dns or tls" | "status" | "answer" | "bot check";
  status?: number;
}

/** https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/ */
export function isBotCheck({ headers }: Pick<Response, "headers">): boolean {
  return headers.get("cf-mitigated") === "challenge";
}

/** The cause of an error thrown by the call or by parsing its answer. Names and messages are workerd's and Zod's. */
export function failedCall(error: unknown): FailedCall {
  const { name, message } = error instanceof Error ? error : new Error();
  if (name === "TimeoutError") return { cause: "deadline" };
  if (name === "SyntaxError" || name === "$ZodError") return { cause: "answer" };
  return { cause: message.startsWith("internal error") ? "dns or tls" : "connection" };
}

export function failedBody(status: "too long" | "too slow" | "aborted", signal: AbortSignal): FailedCall {
  if (status === "too long") return { cause: "answer" };
  return { cause: signal.aborted ? "deadline" : "connection" };
}
