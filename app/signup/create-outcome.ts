import type { FailedCall } from "../shared/http/failed-call";

/** The outcome of the API's `POST /subscription`. */
export type CreateOutcome =
  /**
   * `agreedPriceCents` is the sign-up's monthly price in US cents, if the API says it. `expiresAt` is when the API ends the sign-up if
   * there is no card, in milliseconds since 1970.
   */
  | {
      kind: "created";
      clientSecret: string;
      agreedPriceCents?: number | undefined;
      statusUrl?: string | undefined;
      expiresAt?: number | undefined;
    }
  /**
   * `retryAfter` is the API's Retry-After in seconds. `refusesPlan` is set for a 422 whose problem names the package ID.
   */
  | { kind: "rejected"; status: number; retryAfter?: number | undefined; refusesPlan?: "retired" | "unknown" }
  /** The plan costs more than the form showed: `currentPriceCents` a month, if the API says it. Nothing new was stored. */
  | { kind: "price changed"; currentPriceCents?: number | undefined }
  /** No complete response, or none within the deadline. */
  | { kind: "unreachable"; cause: FailedCall["cause"] }
  /** A 2xx response without a client_secret: other JSON, another format or no body at all. */
  | { kind: "misconfigured" }
  /** A 2xx response whose JSON is incomplete or too long. */
  | { kind: "unintelligible" };

export type FailedOutcome = Exclude<CreateOutcome, { kind: "created" }>;

/** The API's status if it is about the visitor's data or about load; otherwise 504 for a timeout and 502 for other failures. */
export function statusFor(outcome: FailedOutcome): number {
  if (outcome.kind === "rejected" && [400, 409, 422, 429, 503].includes(outcome.status)) return outcome.status;
  if (outcome.kind === "price changed") return 409;
  return outcome.kind === "unreachable" && outcome.cause === "deadline" ? 504 : 502;
}
