import { readFileSync } from "node:fs";
import type { MemoryDatabase } from "./database";
import { randomOf } from "./random";
import { HOUR, MINUTE, type Scheduler } from "./scheduler";
import type { Event } from "./stripe-objects";

const file = readFileSync(new URL("../../functions/subscription-api/wrangler.toml", import.meta.url), "utf8");
const local = file.slice(0, file.indexOf("[env.production]"));
const limiter = { limit: async () => ({ success: true }) };

/** The API's settings of local development. */
export const SETTINGS: Record<string, unknown> = {
  ...Object.fromEntries([...local.matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name, value]) => [name, value])),
  SIGNUP_RATE_LIMIT: limiter,
  OPERATOR_RATE_LIMIT: limiter,
};

type Receiver = {
  history: { seed: number };
  scheduler: Scheduler;
  faulty: number;
  stripe: { signed(body: string, secret: string): string };
  mayFail(name: string): boolean;
  request(name: string, path: string, init: RequestInit): Promise<{ status: number } | undefined>;
};

/** Stripe delivers late, twice, or never, in any order, and tries again what was not taken. */
export function sendEvent(world: Receiver, { id, type, body }: Event): void {
  const random = randomOf(world.history.seed, id);
  if (world.faulty > 0 && random.chance(0.1) && world.mayFail(`${id} never sent`)) return;
  const deliver = async (attempt: number) => {
    const headers = { "stripe-signature": world.stripe.signed(body, String(SETTINGS.STRIPE_WEBHOOK_SECRET)) };
    const init = { method: "POST", headers, body };
    const heard = await world.request(`${type} ${id} (${attempt})`, "/webhooks/stripe", init);
    if (heard?.status !== 200 && attempt < 5) {
      world.scheduler.after(MINUTE * 5 ** attempt, () => void deliver(attempt + 1));
    }
  };
  const delay = () => random.oneOf([random.between(10, 500), random.between(10, 5_000), random.between(0, 2 * HOUR)]);
  world.scheduler.after(delay(), () => void deliver(1));
  if (random.chance(0.1)) world.scheduler.after(delay(), () => void deliver(0));
}

/** Cloudflare runs the cron handler each minute. Runs that would find nothing due are left out. */
export function cronOf(scheduler: Scheduler, database: MemoryDatabase, run: () => void): { plan(time: number): void } {
  let plannedAt = Infinity;
  let cancel = () => {};

  function plan(time: number): void {
    const minute = Math.max(Math.ceil(time / MINUTE), Math.floor(scheduler.now / MINUTE) + 1) * MINUTE;
    if (minute >= plannedAt) return;
    cancel();
    plannedAt = minute;
    cancel = scheduler.after(minute - scheduler.now, () => {
      plannedAt = Infinity;
      const [found] = database.run(
        `SELECT min(at) AS at FROM (SELECT min(check_at) AS at FROM sign_ups WHERE check_at IS NOT NULL
           UNION ALL SELECT min(next_attempt_at) FROM outbox WHERE state = 'due')`,
      ).results;
      const due = typeof found?.at === "string" ? Date.parse(found.at) : Infinity;
      if (due <= scheduler.now) run();
      if (due < Infinity) plan(due);
    });
  }
  return { plan };
}
