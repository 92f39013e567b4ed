import { expect, test } from "vitest";
import { isCopied, isTransient } from "../../../functions/subscription-api/database";

// One of each kind that D1 gives: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list, workerd's d1-api.ts, and
// workers-sdk issues 9519, 14731 and 15351.
test.each([
  { passes: true, message: "D1_ERROR: Network connection lost." },
  { passes: true, message: "D1_ERROR: Replica disconnected from primary." },
  { passes: true, message: "Internal error while starting up D1 DB storage caused object to be reset." },
  { passes: true, message: "D1_ERROR: internal error; reference = e_0a1b" },
  { passes: true, message: "D1 DB reset because its code was updated." },
  { passes: true, message: "Cannot resolve D1 DB due to transient issue on remote node." },
  { passes: true, message: "Can't read from request stream because client disconnected." },
  { passes: true, message: "D1 DB storage operation exceeded timeout which caused object to be reset." },
  { passes: true, message: "D1 DB is overloaded. Requests queued for too long." },
  { passes: true, message: "D1 DB exceeded its CPU time limit and was reset." },
  { passes: true, message: "D1_ERROR: Failed to parse body as JSON, got: <!DOCTYPE html>" },
  { passes: true, message: "D1_ERROR: database is locked: SQLITE_BUSY" },
  { passes: true, isCopying: true, message: "D1_ERROR: Currently processing a long-running export." },
  { passes: true, isCopying: true, message: "D1_ERROR: Currently processing a long-running import." },
  { passes: false, message: "D1_ERROR: no such table: sign_ups: SQLITE_ERROR" },
  { passes: false, message: "Your account has exceeded D1's free tier daily row write limit." },
])("D1's error, or its cause, passes by itself ($passes): $message", ({ passes, isCopying = false, message }) => {
  for (const error of [new Error(message), new Error("Failed", { cause: new Error(message) })])
    expect({ passes: isTransient(error), isCopying: isCopied(error) }).toEqual({ passes, isCopying });
});
