import { MINUTE, type Scheduler } from "../support/api-in-process/scheduler";
import type { LoadedApi } from "./loaded-api";
import type { Stripe } from "./stripe/stripe-model";

/** Runs the cron handler every minute in which something is due. */
export class Cron {
  #at = Infinity;

  /** @param run is called with the run's name */
  constructor(
    readonly scheduler: Scheduler,
    readonly stripe: Stripe,
    readonly loaded: LoadedApi,
    readonly run: (name: string) => void,
  ) {}

  /** Something may be due from this time on. */
  plan(time: number): void {
    const { now } = this.scheduler;
    const minute = Math.max(Math.ceil(time / MINUTE), Math.floor(now / MINUTE) + 1) * MINUTE;
    if (minute >= this.#at) return;
    this.#at = minute;
    this.scheduler.after(minute - now, () => {
      if (this.#at !== minute) return;
      this.#at = Infinity;
      const due = this.#due();
      if (due === undefined) return;
      this.plan(due);
      if (due <= this.scheduler.now) this.run(`cron ${Math.round(this.scheduler.now / MINUTE)}`);
    });
  }

  #due(): number | undefined {
    const [found] = this.loaded.database.run(
      `SELECT min(at) AS at FROM (SELECT min(check_at) AS at FROM sign_ups WHERE check_at IS NOT NULL
         UNION ALL SELECT min(next_attempt_at) FROM outbox WHERE state = 'due'
         UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(ran_at, '2000-01-01'), '+1 hour') FROM cron_runs
           WHERE name = 'undelivered-events' AND ?
         UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:%fZ', min(deleted_at), ?) FROM deleted_sign_ups)`,
      // A run that finds no undelivered event changes nothing, nor one that finds no customer of a deleted sign-up.
      [this.stripe.events.undelivered.size > 0 ? 1 : 0, this.#hasLateCustomer() ? "+0 minutes" : "+61 minutes"],
    ).results;
    return typeof found?.at === "string" ? Date.parse(found.at) : undefined;
  }

  /** True if a customer at Stripe belongs to no sign-up. */
  #hasLateCustomer(): boolean {
    const known = new Set(this.loaded.database.run("SELECT id FROM sign_ups").results.map(({ id }) => id));
    return this.stripe.all("customer").some(({ deleted, metadata }) => !deleted && !known.has(metadata.sign_up_id));
  }
}
