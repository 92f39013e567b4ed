import type { Context } from "hono";
import { readConfig } from "../config";
import { describeError, log } from "../log";
import { problem } from "../problem";

/** `GET /health`: 200, or 503 with the names of the configuration keys and bindings that are wrong. */
export async function getHealth(c: Context): Promise<Response> {
  const result = readConfig(c.env);
  if (result.status === "invalid") {
    log("error", "configuration_invalid", { keys: result.keys });
    return unhealthy(result.keys);
  }
  try {
    await result.config.db.prepare("SELECT 1 FROM subscriptions LIMIT 1").first();
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
  return c.json({ status: "ok" }, 200, { "cache-control": "no-store" });
}

function unhealthy(keys: string[]): Response {
  return problem(503, { title: "Not healthy", keys });
}
