import type { Config } from "../config";
import { cronRunsIn } from "../cron-runs";
import { databaseOver } from "../database";
import { outboxIn, sentKinds } from "../outbox/outbox";
import { processedEventsIn } from "../sign-ups/store/processed-events";

const MINUTE = 60_000;

/** The cron handler runs each minute, for four at most, and sends due messages in each run. */
const CRON_LATE_MS = 10 * MINUTE;
/** Cloudflare takes up to 15 minutes until it runs a new trigger, and a first deployment needs its settings. */
const FIRST_RUN_LATE_MS = 30 * MINUTE;
const MESSAGE_LATE_MS = 15 * MINUTE;
/** Stripe sends an event within seconds, and repeats it at growing intervals. */
const EVENT_LATE_MS = 30 * MINUTE;

export type Workload = {
  dead_messages: number;
  due_messages: number;
  /** 0 if no message is due. */
  oldest_due_seconds: number;
  last_cron_run: string | null;
  last_stripe_event: string | null;
};

export async function workloadOf({ d1, console, isLocal }: Config): Promise<{ workload: Workload; late: Late[] }> {
  const db = databaseOver(d1);
  const outbox = outboxIn(db);
  const [dead, backlog, cron, events] = await Promise.all([
    outbox.countDead(),
    outbox.backlog(sentKinds(console !== undefined)),
    cronRunsIn(db).latest(),
    processedEventsIn(db).latest(new Date(Date.now() - EVENT_LATE_MS)),
  ]);
  const age = (time: string) => Math.max(0, Date.now() - Date.parse(time));
  const due = backlog.oldest === null ? 0 : age(backlog.oldest);
  const workload = {
    dead_messages: dead,
    due_messages: backlog.due,
    oldest_due_seconds: Math.floor(due / 1000),
    last_cron_run: cron.ran_at,
    last_stripe_event: events.latest,
  };
  // A development machine may have been off.
  if (isLocal) return { workload, late: [] };
  const isCronLate = cron.ran_at === null ? age(cron.created_at) > FIRST_RUN_LATE_MS : age(cron.ran_at) > CRON_LATE_MS;
  const late: Late[] = [];
  if (isCronLate) late.push("cron");
  if (due > MESSAGE_LATE_MS) late.push("outbox");
  if (events.areMissing) late.push("webhooks");
  return { workload, late };
}

export type Late = "cron" | "outbox" | "webhooks";
