import { MINUTE, type Scheduler } from "../support/api-in-process/scheduler";
import type { LoadedApi } from "./loaded-api";

/** Runs the cron handler every minute in which something is due. */
export class Cron {
  #at = Infinity;

  /** @param run is called with the run's name */
  constructor(
    readonly scheduler: Scheduler,
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
         UNION ALL SELECT min(next_attempt_at) FROM outbox WHERE state = 'due')`,
    ).results;
    return typeof found?.at === "string" ? Date.parse(found.at) : undefined;
  }
}
