import type { Context } from "hono";
import { isStripePriceId, packagesIn } from "../catalogue/packages";
import { type Config, keysOf, readConfig } from "../config";
import { describeError, log } from "../log";
import { outboxIn } from "../outbox/outbox";
import { problem } from "./problem";

/** `GET /health`: 200, or 503 with the names of settings, of `DB` or of `packages` (prices that Stripe lacks). */
export async function getHealth(c: Context): Promise<Response> {
  const result = readConfig(c.env);
  if (result.status === "invalid") {
    const keys = keysOf(result.problems);
    log("error", "configuration_invalid", { keys });
    return unhealthy(keys);
  }
  try {
    return await checkDatabase(result.configuration);
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
}

async function checkDatabase({ db, stripe }: Config): Promise<Response> {
  await db.prepare("SELECT check_rank FROM sign_ups WHERE id = ''").first();
  const deadMessages = await outboxIn(db).countDead();
  // Only the simulator has the placeholder prices of the first migration.
  const lacksPrices =
    stripe.apiUrl === undefined && (await packagesIn(db).all()).some((item) => !isStripePriceId(item.stripe_price_id));
  if (lacksPrices) {
    log("error", "catalogue_incomplete");
    return unhealthy(["packages"]);
  }
  return Response.json({ status: "ok", dead_messages: deadMessages }, { headers: { "cache-control": "no-store" } });
}

function unhealthy(keys: string[]): Response {
  return problem(503, { title: "The service is not healthy", keys });
}
