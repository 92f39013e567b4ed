import type { Context } from "hono";
import { MINUTE_MS } from "../../../app/contract/dates";
import { commit } from "../../../app/shared/settings/release";
import { log, logFailure } from "../log";
import { sentKinds } from "../outbox/outbox";
import type { ApiContext } from "./api-context";
import { type Problem, unavailable } from "./problem";

/** The cron handler runs every minute, and starts nothing new after four minutes. */
const CRON_LATE_MS = 10 * MINUTE_MS;
/** Cloudflare needs up to 15 minutes to run a new trigger, and a first deployment waits for its secrets. */
const FIRST_RUN_LATE_MS = 30 * MINUTE_MS;
const MESSAGE_LATE_MS = 15 * MINUTE_MS;

/** Limits the load that `/health` causes. */
const CACHED_MS = 10_000;

type Health = {
  status: "ok";
  release: string;
  commit: string;
  last_cron_run: string | null;
  /** 0 if no message is due. */
  oldest_due_seconds: number;
  dead_messages: number;
};

/** Data instead of a Response, because a request must not use another request's I/O objects. */
type Found = { status: 200; body: Health } | { status: 503; problem: Problem };

/** `GET /health` (docs/operations.md). Each isolate checks once in ten seconds; locally, only while it is healthy. */
export function healthCheck(): (c: Context<ApiContext>) => Promise<Response> {
  let cached: { check: Promise<Found>; until: number } | undefined;
  return async (c) => {
    if (cached === undefined || Date.now() >= cached.until) {
      cached = { check: check(c.var), until: Date.now() + CACHED_MS };
      // Continues if this client disconnects, because other requests wait for it.
      c.executionCtx.waitUntil(cached.check);
    }
    const found = await cached.check;
    if (found.status === 503 && c.var.config.isLocal) cached = undefined;
    if (found.status === 503) return unavailable(found.problem, String(CACHED_MS / 1000));
    return Response.json(found.body, { headers: { "cache-control": "no-store" } });
  };
}

/** Checks only the database. Stripe is watched by alerts on log lines. */
async function check({ config, services }: Pick<ApiContext["Variables"], "config" | "services">): Promise<Found> {
  const { outbox, cronRuns } = services;
  try {
    const [dead_messages, oldest, cron] = await Promise.all([
      outbox.countDead(),
      outbox.oldestDue(sentKinds(config.console !== undefined)),
      cronRuns.latest(),
    ]);
    const age = (time: string) => Math.max(0, Date.now() - Date.parse(time));
    const due = oldest === null ? 0 : age(oldest);
    const work = { last_cron_run: cron.ran_at, oldest_due_seconds: Math.floor(due / 1000), dead_messages };
    const isCronLate =
      cron.ran_at === null ? age(cron.created_at) > FIRST_RUN_LATE_MS : age(cron.ran_at) > CRON_LATE_MS;
    const keys = [...(isCronLate ? ["cron"] : []), ...(due > MESSAGE_LATE_MS ? ["outbox"] : [])];
    // Ignore late work in local development, because the machine may have been off for days.
    if (keys.length === 0 || config.isLocal) {
      return { status: 200, body: { status: "ok", release: config.release, commit, ...work } };
    }
    log("error", "unwell", { keys, ...work, last_cron_run: work.last_cron_run ?? "never" });
    return unhealthy(keys, `Late: ${keys.join(", ")}`);
  } catch (error) {
    logFailure("database_unavailable", error);
    return unhealthy(["DB"]);
  }
}

function unhealthy(keys: string[], detail?: string): Found {
  return { status: 503, problem: { title: "The service is not healthy", ...(detail && { detail }), keys } };
}
