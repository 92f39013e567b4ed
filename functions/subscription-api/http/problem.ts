import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { someTerms } from "../../../app/contract/terms-schema";
import { isTransient } from "../database";
import { logFailure } from "../log";
import { PaymentsError } from "../stripe/client";

/** Problem details (RFC 9457) with extra members: `errors` by form field, changed terms, and `keys` that name what is wrong in the service. */
export const problemDetails = z.object({
  type: z.string().meta({ description: "about:blank, or a type that the operation names" }),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: "Messages by field" }),
  ...someTerms.shape,
  currency: z.literal("usd").optional(),
  keys: z.array(z.string()).optional().meta({ description: "Settings or parts of the service that are wrong" }),
});
type Details = z.output<typeof problemDetails>;
export type Problem = Pick<Details, "title"> & Partial<Omit<Details, "status">>;

export function problem(status: number, members: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", status, ...members }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}

/** The answer to an uncaught error: 409, 502 or 503 if trying again can help, otherwise 500. */
export function errorResponse(error: Error): Response {
  // Hono's own middleware throws these.
  if (error instanceof HTTPException) return error.res ?? problem(error.status, { title: "The request is refused" });
  logUncaught(error);
  if (error instanceof PaymentsError) return paymentProblem(error);
  if (isTransient(error)) return unavailable({ title: "The database is unavailable" }, "2");
  return problem(500, { title: "Internal server error" });
}

/** Logs an uncaught error. stripe/client.ts has logged a PaymentsError already, as Stripe's failure and not as one of the code. */
export function logUncaught(error: Error): void {
  if (error instanceof PaymentsError) return;
  if (isTransient(error)) logFailure("database_failed_in_passing", error, {}, "warn");
  else logFailure("request_failed", error);
}

function paymentProblem({ reason }: PaymentsError): Response {
  switch (reason) {
    case "in-progress":
      return inProgress("The same request is still in progress", "2");
    case "email-refused":
    case "unexpected-answer":
      return problem(502, { title: "The payment provider gave an unexpected answer" });
    case "unavailable":
      return unavailable({ title: "The payment provider is unavailable" }, "5");
  }
}

/** A 503. @param retryAfter seconds after which to try again */
export function unavailable(members: Problem, retryAfter: string): Response {
  return problem(503, members, { "retry-after": retryAfter });
}

/** A 409 while the same request is in progress. @param retryAfter seconds after which to try again */
export function inProgress(title: string, retryAfter: string): Response {
  return problem(409, { type: REQUEST_IN_PROGRESS, title }, { "retry-after": retryAfter });
}
