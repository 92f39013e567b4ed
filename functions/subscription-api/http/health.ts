import type { Context } from "hono";
import * as z from "zod";
import { describeError } from "../../../app/shared/describe-error";
import { commit } from "../../../app/shared/release";
import { sleep } from "../../../app/shared/sleep";
import { type Config, keysOf, readConfig } from "../config";
import { cronRunsIn } from "../cron-runs";
import { databaseOver } from "../database";
import { log } from "../log";
import { outboxIn, sentKinds } from "../outbox/outbox";
import { isStripePriceId, packagesIn } from "../plans/packages";
import { processedEventsIn } from "../sign-ups/store/processed-events";
import { type Problem, unavailable, type Workload, workload } from "./problem";

const MINUTE = 60_000;

/** The cron handler runs each minute, for four at most, and sends due messages in each run. */
const CRON_LATE_MS = 10 * MINUTE;
/** Cloudflare takes up to 15 minutes until it runs a new trigger, and a first deployment needs its settings. */
const FIRST_RUN_LATE_MS = 30 * MINUTE;
const MESSAGE_LATE_MS = 15 * MINUTE;
/** Stripe sends an event within seconds, and repeats it at growing intervals. */
const EVENT_LATE_MS = 30 * MINUTE;

/** Bounds the load of `/health`. A database failure is often transient. */
const CACHED_MS = 30_000;
const DATABASE_CACHED_MS = 1_000;

/** After this time a check is considered abandoned: Cloudflare may have ended its request. */
const GONE_AFTER_MS = 20_000;
/** Polls: the runtime ends a request that awaits only another request's promise. */
const POLL_MS = 20;

export const health = z.object({
  status: z.literal("ok"),
  release: z.string(),
  commit: z.string(),
  ...workload.shape,
});

/** Plain data, because a request must not use another request's I/O objects. */
type Found = { status: 200; body: z.output<typeof health> } | { status: 503; problem: Problem };

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
  if (found.status === 503) return unavailable(found.problem, String(CACHED_MS / 1000));
  return Response.json(found.body, { headers: { "cache-control": "no-store" } });
}

/** Asks the database alone: the cron handler has asked Stripe. */
async function checkAll({ d1, console, isLocal, release, stripe }: Config): Promise<Found> {
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
    const late = [
      isCronLate && ("cron" as const),
      due > MESSAGE_LATE_MS && ("outbox" as const),
      events.areMissing && ("webhooks" as const),
    ].filter((one) => one !== false);
    // A development machine may have been off.
    return late.length > 0 && !isLocal
      ? unwell(late, work)
      : { status: 200, body: { status: "ok", release, commit, ...work } };
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

const NOT_HEALTHY = "The service is not healthy";

const LATE = {
  cron: "the cron handler has not come to its end for too long",
  outbox: "a message is due for too long",
  webhooks: "trials began and Stripe sent no event about them",
};

function unwell(late: (keyof typeof LATE)[], work: Workload): Found {
  const { last_cron_run, last_stripe_event, ...counts } = work;
  log("error", "unwell", {
    keys: late,
    ...counts,
    last_cron_run: last_cron_run ?? "never",
    last_stripe_event: last_stripe_event ?? "never",
  });
  const detail = `Unwell: ${late.map((what) => LATE[what]).join("; ")}`;
  return { status: 503, problem: { title: NOT_HEALTHY, detail, keys: late, ...work } };
}

function unhealthy(keys: string[], detail?: string): Found {
  return { status: 503, problem: { title: NOT_HEALTHY, ...(detail !== undefined && { detail }), keys } };
}
