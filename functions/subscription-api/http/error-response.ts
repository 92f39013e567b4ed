import { HTTPException } from "hono/http-exception";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { describeError } from "../../../app/shared/describe-error";
import { isTransient } from "../database";
import { log } from "../log";
import { PaymentsError } from "../stripe/client";
import { problem } from "./problem";

/** 409, 502 or 503 where a visitor may try again, else 500. */
export function errorResponse(error: Error): Response {
  // Thrown by Hono's own middleware, such as csrf().
  if (error instanceof HTTPException) return problem(error.status, { title: "The request is refused" });
  if (isTransient(error)) {
    log("warn", "database_failed_in_passing", describeError(error));
    return problem(503, { title: "The database is unavailable" }, { "retry-after": "2" });
  }
  log("error", "request_failed", describeError(error));
  if (!(error instanceof PaymentsError)) return problem(500, { title: "Internal server error" });
  switch (error.reason) {
    case "in-progress":
      return problem(
        409,
        { type: REQUEST_IN_PROGRESS, title: "The same request is still in progress" },
        { "retry-after": "2" },
      );
    case "email-refused":
    case "unexpected-answer":
      return problem(502, { title: "The payment provider gave an unexpected answer" });
    case "failed":
    case "unavailable":
      return problem(503, { title: "The payment provider is unavailable" }, { "retry-after": "5" });
  }
}
