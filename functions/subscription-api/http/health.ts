import type { Context } from "hono";
import { commit } from "../../../app/contract/release";
import { isStripePriceId, packagesIn } from "../catalogue/packages";
import { type Config, keysOf, readConfig } from "../config";
import { describeError, log } from "../log";
import { stripeAccess } from "../stripe/access";
import { stripeClient } from "../stripe/client";
import { problem } from "./problem";
import { type Late, type Workload, workloadOf } from "./workload";

/**
 * `GET /health`: 200, or 503 with the names of settings, of `DB`, of `packages` (prices that Stripe lacks), of `stripe`
 * (it does not answer), of `cron` or `outbox` (it is late).
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
    // First: without the latest migration it throws.
    const { workload, late } = await workloadOf(configuration);
    for (const check of [checkStripe, checkCatalogue]) {
      const problem = await check(configuration);
      if (problem) return problem;
    }
    return late.length === 0 ? healthy(configuration, workload) : unwell(late, workload);
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
}

/** Undefined when there is nothing to say. */
type Check = (config: Config) => Promise<Response | undefined>;

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

function healthy({ release }: Config, workload: Workload): Response {
  return Response.json({ status: "ok", release, commit, ...workload }, { headers: { "cache-control": "no-store" } });
}

const LATE: Record<Late, string> = {
  cron: "the cron handler has not come to its end for too long",
  outbox: "a message is due for too long",
};

function unwell(late: Late[], workload: Workload): Response {
  log("error", "unwell", { keys: late, ...workload, last_cron_run: workload.last_cron_run ?? "never" });
  const detail = `Unwell: ${late.map((what) => LATE[what]).join("; ")}`;
  return problem(503, { title: "The service is not healthy", detail, keys: late, ...workload });
}

function unhealthy(keys: string[], detail?: string): Response {
  return problem(503, { title: "The service is not healthy", ...(detail !== undefined && { detail }), keys });
}
