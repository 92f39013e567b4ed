import type { SomeTerms } from "../contract/terms";
import type { FailedCall } from "../shared/http/failed-call";

export type CreateOutcome =
  /** `expiresAt` is when the API ends the sign-up if there is no card, in milliseconds since 1970. */
  | {
      kind: "created";
      clientSecret: string;
      terms: SomeTerms;
      statusUrl?: string | undefined;
      expiresAt?: number | undefined;
    }
  /** `retryAfter` is in seconds. `refusesPlan`, `refusesEmail`: the API names the package ID or the email address. */
  | {
      kind: "rejected";
      status: number;
      retryAfter?: number | undefined;
      refusesPlan?: "retired" | "unknown";
      refusesEmail?: true;
    }
  /** The terms are worse than the form showed. Nothing new was stored. */
  | { kind: "terms changed"; terms: SomeTerms }
  /** No complete response, or none within the deadline. */
  | { kind: "unreachable"; cause: FailedCall["cause"] }
  /** Cloudflare's bot check answered, not the API. */
  | { kind: "bot check" }
  /** A 2xx response without a client_secret: other JSON, another format or no body at all. */
  | { kind: "misconfigured" }
  /** A 2xx response whose JSON is incomplete or too long. */
  | { kind: "unintelligible" };

export type FailedOutcome = Exclude<CreateOutcome, { kind: "created" }>;

/** The API's status if it is about the visitor's data or about load; otherwise 504 for a timeout and 502 for other failures. */
export function statusFor(outcome: FailedOutcome): number {
  if (outcome.kind === "rejected" && [400, 409, 422, 429, 503].includes(outcome.status)) return outcome.status;
  if (outcome.kind === "terms changed") return 409;
  return outcome.kind === "unreachable" && outcome.cause === "deadline" ? 504 : 502;
}
