import type { Context } from "hono";
import { commit } from "../../../app/contract/release";
import { isStripePriceId, packagesIn } from "../catalogue/packages";
import { type Config, keysOf, readConfig } from "../config";
import { describeError, log } from "../log";
import { stuckMessagesIn } from "../outbox/stuck-messages";
import { stripeAccess } from "../stripe/access";
import { stripeClient } from "../stripe/client";
import { problem } from "./problem";

/**
 * `GET /health`: 200, or 503 with the names of settings, of `DB`, of `packages` (prices that Stripe lacks) or of `stripe`
 * (it does not answer).
 */
export async function getHealth(c: Context): Promise<Response> {
  const result = readConfig(c.env);
  if (result.status === "invalid") {
    const keys = keysOf(result.problems);
    log("error", "configuration_invalid", { keys });
    return unhealthy(keys);
  }
  const { configuration } = result;
  try {
    for (const check of [checkMigrations, checkStripe, checkCatalogue]) {
      const problem = await check(configuration);
      if (problem) return problem;
    }
    return await healthy(configuration);
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
}

/** Undefined when there is nothing to say. */
type Check = (config: Config) => Promise<Response | undefined>;

/** Reads a column of the latest migration; throws where it is not there. */
const checkMigrations: Check = async ({ db }) => {
  await db.prepare("SELECT drop_reason FROM outbox WHERE key = ''").first();
  return undefined;
};

const checkCatalogue: Check = async ({ db, stripe }) => {
  // The simulator has the placeholder prices of the first migration; in test mode `npm start` replaces them.
  if (stripe.apiUrl !== undefined) return undefined;
  if ((await packagesIn(db).all()).every((item) => isStripePriceId(item.stripe_price_id))) return undefined;
  log("error", "catalogue_incomplete");
  return unhealthy(["packages"]);
};

const checkStripe: Check = async ({ stripe }) => {
  const access = await stripeAccess(stripeClient(stripe, "visitor"), stripe.secretKey);
  if (access.status === "granted") return undefined;
  log("error", "stripe_inaccessible", { reason: access.status, ...("lacks" in access && { lacks: access.lacks }) });
  switch (access.status) {
    case "wrong-key":
      return unhealthy(["STRIPE_SECRET_KEY"], "Stripe does not know the secret key");
    case "no-permission":
      return unhealthy(["STRIPE_SECRET_KEY"], `The secret key may not read: ${access.lacks.join(", ")}`);
    case "unavailable":
      return unhealthy(["stripe"], "Stripe cannot be reached");
  }
};

async function healthy({ db, release }: Config): Promise<Response> {
  const body = { status: "ok", release, commit, dead_messages: await stuckMessagesIn(db).countDead() };
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}

function unhealthy(keys: string[], detail?: string): Response {
  return problem(503, { title: "The service is not healthy", ...(detail !== undefined && { detail }), keys });
}
