import type { Context } from "hono";
import { describeError } from "../../../app/shared/describe-error";
import { commit } from "../../../app/shared/release";
import { sleep } from "../../../app/shared/sleep";
import { type Config, keysOf, readConfig } from "../config";
import { databaseOver } from "../database";
import { log } from "../log";
import { isStripePriceId, packagesIn } from "../plans/packages";
import { stripeAccess } from "../stripe/access";
import { stripeClient } from "../stripe/client";
import { type Problem, problem } from "./problem";
import { type Late, type Workload, workloadOf } from "./workload";

/** Plain data, because a request must not use another request's I/O objects. */
type Found = { status: 200; body: Record<string, unknown> } | { status: 503; problem: Problem };

/** Bounds the load of `/health`. A database failure is often transient. */
const CACHED_MS = 30_000;
const DATABASE_CACHED_MS = 1_000;

/** After this time a check is considered abandoned: Cloudflare may have ended its request. */
const GONE_AFTER_MS = 20_000;
/** Polls: the runtime ends a request that awaits only another request's promise. */
const POLL_MS = 20;

/** `GET /health`: a 503 lists the problems (docs/operations.md). Simultaneous requests to an isolate share one check. */
export function healthCheck(): (c: Context) => Promise<Response> {
  let cached: { found: Found; until: number } | undefined;
  let checkingSince: number | undefined;

  async function check(config: Config): Promise<Found> {
    const since = Date.now();
    checkingSince = since;
    try {
      const found = await checkAll(config);
      const isDatabase = found.status === 503 && found.problem.keys?.includes("DB");
      cached = { found, until: since + (isDatabase ? DATABASE_CACHED_MS : CACHED_MS) };
      return found;
    } finally {
      if (checkingSince === since) checkingSince = undefined;
    }
  }

  return async (c) => {
    const result = readConfig(c.env);
    if (result.status === "invalid") {
      const keys = keysOf(result.problems);
      log("error", "configuration_invalid", { keys });
      return answer(unhealthy(keys));
    }
    if (result.configuration.inMaintenance) return answer(unhealthy(["MAINTENANCE"], "In maintenance"));
    while (true) {
      if (cached !== undefined && Date.now() < cached.until) return answer(cached.found);
      if (checkingSince === undefined || Date.now() - checkingSince >= GONE_AFTER_MS) {
        return answer(await check(result.configuration));
      }
      await sleep(POLL_MS);
    }
  };
}

function answer(found: Found): Response {
  if (found.status === 503) return problem(503, found.problem);
  return Response.json(found.body, { headers: { "cache-control": "no-store" } });
}

async function checkAll(config: Config): Promise<Found> {
  try {
    // First: without the latest migration it throws.
    const { workload, late } = await workloadOf(config);
    const wrong = (await checkStripe(config)) ?? (await checkCatalog(config));
    if (wrong) return wrong;
    return late.length === 0 ? healthy(config, workload) : unwell(late, workload);
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
}

async function checkCatalog({ d1, stripe }: Config): Promise<Found | undefined> {
  // The simulator has the placeholder prices of the first migration; in test mode `npm start` replaces them.
  if (stripe.apiUrl !== undefined) return undefined;
  const packages = await packagesIn(databaseOver(d1)).all();
  if (packages.every((item) => isStripePriceId(item.stripe_price_id))) return undefined;
  log("error", "catalog_incomplete");
  return unhealthy(["packages"]);
}

async function checkStripe({ stripe }: Config): Promise<Found | undefined> {
  const access = await stripeAccess(stripeClient(stripe, "visitor"));
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
}

function healthy({ release }: Config, workload: Workload): Found {
  return { status: 200, body: { status: "ok", release, commit, ...workload } };
}

const NOT_HEALTHY = "The service is not healthy";

const LATE: Record<Late, string> = {
  cron: "the cron handler has not come to its end for too long",
  outbox: "a message is due for too long",
  webhooks: "trials began and Stripe sent no event about them",
};

function unwell(late: Late[], workload: Workload): Found {
  const { last_cron_run, last_stripe_event, ...counts } = workload;
  log("error", "unwell", {
    keys: late,
    ...counts,
    last_cron_run: last_cron_run ?? "never",
    last_stripe_event: last_stripe_event ?? "never",
  });
  const detail = `Unwell: ${late.map((what) => LATE[what]).join("; ")}`;
  return { status: 503, problem: { title: NOT_HEALTHY, detail, keys: late, ...workload } };
}

function unhealthy(keys: string[], detail?: string): Found {
  return { status: 503, problem: { title: NOT_HEALTHY, ...(detail !== undefined && { detail }), keys } };
}
