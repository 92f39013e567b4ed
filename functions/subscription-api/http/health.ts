import type { Context } from "hono";
import * as z from "zod";
import { describeError } from "../../../app/shared/describe-error";
import { commit } from "../../../app/shared/release";
import { type Config, keysOf, readConfig } from "../config";
import { cronRunsIn } from "../cron-runs";
import { databaseOver } from "../database";
import { log } from "../log";
import { outboxIn, sentKinds } from "../outbox/outbox";
import { isStripePriceId, packagesIn } from "../plans/packages";
import { processedEventsIn } from "../sign-ups/processed-events";
import { type Problem, unavailable, type Workload, workload } from "./problem";

const MINUTE = 60_000;

/** The cron handler runs each minute, for four at most, and sends due messages in each run. */
const CRON_LATE_MS = 10 * MINUTE;
/** Cloudflare takes up to 15 minutes until it runs a new trigger, and a first deployment needs its settings. */
const FIRST_RUN_LATE_MS = 30 * MINUTE;
const MESSAGE_LATE_MS = 15 * MINUTE;
/** Stripe sends an event within seconds, and repeats it at growing intervals. */
const EVENT_LATE_MS = 30 * MINUTE;

/** Bounds the load of `/health`. A failure is often transient. */
const CACHED_MS = 30_000;
const FAILURE_CACHED_MS = 5_000;
/** How long others get the last answer while one request checks again. */
const CHECKED_WITHIN_MS = 20_000;

export const health = z.object({
  status: z.literal("ok"),
  release: z.string(),
  commit: z.string(),
  ...workload.shape,
});

/** Plain data, because a request must not use another request's I/O objects. */
type Found = { status: 200; body: z.output<typeof health> } | { status: 503; problem: Problem };

/** `GET /health`: a 503 lists the problems (docs/operations.md). Each isolate keeps its answer for a while. */
export function healthCheck(): (c: Context) => Promise<Response> {
  let cached: { found: Found; until: number } | undefined;
  return async (c) => {
    const result = readConfig(c.env);
    if (result.status === "invalid") {
      const keys = keysOf(result.problems);
      log("error", "configuration_invalid", { keys });
      return answer(unhealthy(keys));
    }
    if (result.configuration.inMaintenance) return answer(unhealthy(["MAINTENANCE"], "In maintenance"));
    const now = Date.now();
    if (cached !== undefined && now < cached.until) return answer(cached.found);
    if (cached !== undefined) cached.until = now + CHECKED_WITHIN_MS;
    const found = await check(result.configuration);
    cached = { found, until: now + (found.status === 200 ? CACHED_MS : FAILURE_CACHED_MS) };
    return answer(found);
  };
}

function answer(found: Found): Response {
  if (found.status === 503) return unavailable(found.problem, String(FAILURE_CACHED_MS / 1000));
  return Response.json(found.body, { headers: { "cache-control": "no-store" } });
}

/** Asks the database alone: the cron handler has asked Stripe. */
async function check({ d1, console, isLocal, release, stripe }: Config): Promise<Found> {
  try {
    const db = databaseOver(d1);
    const outbox = outboxIn(db);
    const [dead, backlog, cron, events, packages] = await Promise.all([
      outbox.countDead(),
      outbox.backlog(sentKinds(console !== undefined)),
      cronRunsIn(db).latest(),
      processedEventsIn(db).latest(new Date(Date.now() - EVENT_LATE_MS)),
      packagesIn(db).all(),
    ]);
    const age = (time: string) => Math.max(0, Date.now() - Date.parse(time));
    const due = backlog.oldest === null ? 0 : age(backlog.oldest);
    const work = {
      dead_messages: dead,
      due_messages: backlog.due,
      oldest_due_seconds: Math.floor(due / 1000),
      last_cron_run: cron.ran_at,
      last_stripe_event: events.latest,
    };
    const wrong = wrongAtStripe(cron.stripe);
    if (wrong) return unhealthy(wrong.keys, wrong.detail);
    // The simulator has the placeholder prices of the first migration; in test mode `npm start` replaces them.
    if (stripe.apiUrl === undefined && !packages.every((item) => isStripePriceId(item.stripe_price_id))) {
      log("error", "catalog_incomplete");
      return unhealthy(["packages"], "A package has no price at Stripe: npm run catalog");
    }
    const isCronLate =
      cron.ran_at === null ? age(cron.created_at) > FIRST_RUN_LATE_MS : age(cron.ran_at) > CRON_LATE_MS;
    const late: Record<string, string | false> = {
      cron: isCronLate && "the cron handler has not come to its end for too long",
      outbox: due > MESSAGE_LATE_MS && "a message is due for too long",
      webhooks: events.areMissing && "trials began and Stripe sent no event about them",
    };
    const keys = Object.keys(late).filter((key) => late[key] !== false);
    // A development machine may have been off.
    if (keys.length === 0 || isLocal) return { status: 200, body: { status: "ok", release, commit, ...work } };
    const { last_cron_run, last_stripe_event, ...counts } = work;
    log("error", "unwell", {
      keys,
      ...counts,
      last_cron_run: last_cron_run ?? "never",
      last_stripe_event: last_stripe_event ?? "never",
    });
    return unhealthy(keys, `Unwell: ${keys.map((key) => late[key]).join("; ")}`, work);
  } catch (error) {
    log("error", "database_unavailable", describeError(error));
    return unhealthy(["DB"]);
  }
}

/** @param found by the latest run of the cron handler: a StripeAccess' status, and what the key may not read */
function wrongAtStripe(found: string | null): { keys: string[]; detail: string } | undefined {
  const [status, lacks] = found?.split(": ") ?? [];
  switch (status) {
    case "wrong-key":
      return { keys: ["STRIPE_SECRET_KEY"], detail: "Stripe does not know the secret key" };
    case "no-permission":
      return { keys: ["STRIPE_SECRET_KEY"], detail: `The secret key may not read: ${lacks}` };
    case "unavailable":
      return { keys: ["stripe"], detail: "Stripe cannot be reached" };
    default:
      return undefined;
  }
}

function unhealthy(keys: string[], detail?: string, work?: Workload): Found {
  return { status: 503, problem: { title: "The service is not healthy", ...(detail && { detail }), keys, ...work } };
}
