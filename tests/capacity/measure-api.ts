import { execFileSync } from "node:child_process";
import { type Request as MiniflareRequest, fetch as send } from "miniflare";
import type Stripe from "stripe";
import * as z from "zod";
import { WEBHOOK_EVENTS } from "../../functions/subscription-api/stripe/webhook";
import { cpuMicroseconds } from "../bench/process-figures";
import { type RecordedStatement, recordedDatabase } from "../support/database/recorded-database";
import { deliver } from "../support/stripe/set-up-card";
import { enterCard, signUp, stripeAt } from "../support/visitors/visitor";
import { runScheduled, startStripeSimulator, startSubscriptionApi } from "../support/workers/workers";
import { type Cost, meanOf } from "./cost";
import { quiet } from "./quiet";

export const API_ACTIONS = [
  "sign-up",
  "status",
  "card set up",
  "trial ending",
  "other webhook",
  "idle cron run",
] as const;
export type ApiAction = (typeof API_ACTIONS)[number];

/** What the API does for one subscription, from the form to the first payment. */
export interface Life {
  costs: Record<ApiAction, Cost>;
  /** How often it does each. */
  times: Record<ApiAction, number>;
  /** What stays in the database. */
  bytes: number;
}

/** Webhooks that make more work than others. */
const OWN_LINE: Record<string, ApiAction> = {
  "setup_intent.succeeded": "card set up",
  "customer.subscription.trial_will_end": "trial ending",
};
const subscribed: ReadonlySet<string> = new Set(WEBHOOK_EVENTS);
const DAY = 24 * 60 * 60;
const answer = z.object({ status_url: z.string() });

/**
 * With the simulator as Stripe. Nothing is recorded while CPU is measured, which is that of the API's process with D1 and
 * Miniflare in it: more than Cloudflare will bill.
 */
export async function measureApi(signUps: number): Promise<Life> {
  const counted = await observe(signUps, recordedDatabase());
  const timed = await observe(signUps);
  const perAction = <T>(value: (action: ApiAction) => T) =>
    Object.fromEntries(API_ACTIONS.map((action) => [action, value(action)])) as Record<ApiAction, T>;
  const of = (action: ApiAction, figure: keyof Cost) =>
    meanOf((figure === "cpu" ? timed : counted).seen[action].map((cost) => cost[figure]));
  return {
    costs: perAction((action) => ({
      cpu: of(action, "cpu"),
      statements: of(action, "statements"),
      rowsRead: of(action, "rowsRead"),
      rowsWritten: of(action, "rowsWritten"),
      subrequests: of(action, "subrequests"),
      logLines: of(action, "logLines"),
    })),
    times: perAction((action) => counted.seen[action].length / signUps),
    bytes: counted.bytes / signUps,
  };
}

async function observe(signUps: number, database?: ReturnType<typeof recordedDatabase>) {
  const recorded: RecordedStatement[] = database?.recorded ?? [];
  let subrequests = 0;
  const simulator = await startStripeSimulator({ webhookUrl: "http://localhost:1", vars: { WEBHOOK_EVENTS: "none" } });
  const before = workerds();
  const api = await startSubscriptionApi({
    simulatorUrl: simulator.url,
    ...(database && { wrapper: database.wrapper }),
    miniflare: {
      outboundService: (request: MiniflareRequest) => {
        subrequests += 1;
        return send(request);
      },
    },
  });
  const pids = workerds().filter((pid) => !before.includes(pid));
  const snapshot = (): Cost => ({
    cpu: pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0) / 1000,
    statements: recorded.length,
    rowsRead: recorded.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
    rowsWritten: recorded.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    subrequests,
    logLines: api.logs.length,
  });
  const seen: Record<ApiAction, Cost[]> = {
    "sign-up": [],
    status: [],
    "card set up": [],
    "trial ending": [],
    "other webhook": [],
    "idle cron run": [],
  };
  async function step<T>(action: ApiAction, work: () => Promise<T>): Promise<T> {
    const from = snapshot();
    const result = await work();
    await quiet(() => recorded.length + subrequests + api.logs.length);
    const to = snapshot();
    seen[action].push({
      cpu: to.cpu - from.cpu,
      statements: to.statements - from.statements,
      rowsRead: to.rowsRead - from.rowsRead,
      rowsWritten: to.rowsWritten - from.rowsWritten,
      subrequests: to.subrequests - from.subrequests,
      logLines: to.logLines - from.logLines,
    });
    return result;
  }

  const stripe = stripeAt(simulator);
  const delivered = new Set<string>();
  async function deliverEvents(): Promise<void> {
    for (;;) {
      const all = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
      const due = all.reverse().filter(({ id, type }) => subscribed.has(type) && !delivered.has(id));
      if (due.length === 0) return;
      for (const event of due) {
        delivered.add(event.id);
        await step(OWN_LINE[event.type] ?? "other webhook", () => deliverOne(event));
      }
    }
  }
  async function deliverOne(event: Stripe.Event): Promise<void> {
    const status = await deliver(api, JSON.stringify(event));
    if (status !== 200) throw new Error(`${event.type}: ${status}`);
  }

  try {
    // What an isolate does once.
    await signUp(api, { email: "first@example.com" });
    const empty = recorded.at(-1)?.size ?? 0;
    for (let n = 0; n < signUps; n += 1) {
      const taken = await step("sign-up", () => signUp(api, { email: `person-${n}@example.com` }));
      await enterCard(simulator.url, taken.clientSecret);
      await deliverEvents();
      const { status_url } = answer.parse(JSON.parse(taken.text));
      await step("status", async () => (await fetch(status_url)).arrayBuffer());
    }
    for (let run = 0; run < signUps; run += 1) await step("idle cron run", () => runScheduled(api));
    const now = Math.floor(Date.now() / 1000);
    for (const days of [3, 7]) {
      await stripe.testHelpers.testClocks.advance("clock_account", { frozen_time: now + days * DAY });
      await deliverEvents();
    }
    return { seen, bytes: (recorded.at(-1)?.size ?? 0) - empty };
  } finally {
    await Promise.all([api.dispose(), simulator.dispose()]);
  }
}

/** The processes of workerd that this one has started. */
function workerds(): number[] {
  return execFileSync("pgrep", ["-P", `${process.pid}`, "workerd"], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
    .map(Number);
}
