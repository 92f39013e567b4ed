import { d1Of } from "../../support/api-in-process/database";
import { HOUR, MINUTE, Scheduler, SECOND } from "../../support/api-in-process/scheduler";
import { SETTINGS } from "../../support/api-in-process/settings";
import { type Answer, answer, refusal, Stripe, type StripeObject } from "../../support/api-in-process/stripe-model";
import { Isolates } from "./isolates";
import type { Init, LoadedApi, Platform } from "./loaded-api";
import { type Random, randomOf } from "./random";

const START = Date.parse("2026-03-02T08:00:00Z");
const SITE_WAITS = 10 * SECOND;
const DELIVERIES = 6;
export const WEBHOOK = "/webhooks/stripe";

/** A history: everything in it follows from its seed, its visitors, and the faults that happen; without `only` all do. */
export type History = { seed: number; visitors: number[]; only?: string[] };
/** `undefined`: nobody knows. */
export type Heard = Answer | undefined;

const LOST = ["fails", "fails after", "hangs", "hangs after", "dies", "dies after"] as const;
const HTTP = [...LOST, "500", "500 after", "429"] as const;
const FATES = { database: LOST, stripe: [...HTTP, "409"], mail: HTTP, console: HTTP } as const;
type Receiver = keyof typeof FATES;
type Fate = "ok" | (typeof FATES)[Receiver][number];

/** One history: isolates, a database, Stripe, the receivers, and what goes wrong between them. */
export class World implements Platform {
  readonly scheduler = new Scheduler(START);
  readonly stripe: Stripe;
  readonly onePerPerson: boolean;
  readonly days: number;
  /** How likely a step goes wrong, and until when. */
  readonly faulty: number;
  readonly faultsEnd: number;
  /** How often mails and account webhooks came, by their keys. */
  readonly got = new Map<string, number>();
  /** Customers of whom an event was lost. */
  readonly untold = new Set<string | null>();
  readonly faults: string[] = [];
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  readonly #outage: { of?: Receiver; from: number; to: number };
  readonly #isolates: Isolates;
  #cronAt = Infinity;

  constructor(
    readonly history: History,
    readonly loaded: LoadedApi,
    readonly tracing: boolean,
    watch: Stripe["watch"],
    readonly onMail: (key: string, text: string) => void,
  ) {
    loaded.enter(this);
    loaded.database.empty();
    const random = randomOf(history.seed, "world");
    this.onePerPerson = random.chance(0.5);
    this.days = random.chance(0.25) ? 8 : 3.5;
    this.faulty = random.oneOf([0, 0.01, 0.05, 0.1, 0.15]);
    const from = START + random.between(0, 24) * HOUR;
    this.#outage = { from, to: from + random.between(0, 12) * HOUR };
    this.faultsEnd = START + random.oneOf([1, 1, 26, 54]) * HOUR;
    const of = random.oneOf<Receiver>(["stripe", "mail", "console", "database"]);
    if (this.faulty > 0 && random.chance(0.2) && this.mayFail(`outage of ${of}`)) this.#outage.of = of;
    if (this.#outage.of) this.faultsEnd = Math.max(this.faultsEnd, this.#outage.to);
    this.#isolates = new Isolates(loaded, this.scheduler.after.bind(this.scheduler), () => this.#env());
    this.stripe = new Stripe(this.scheduler, (...event) => this.#tell(...event), watch);
  }

  get now(): number {
    return this.scheduler.now;
  }
  get running() {
    return this.#isolates.running;
  }
  readonly timer: Platform["timer"] = (run, milliseconds) => this.#isolates.timer(run, milliseconds);
  note(line: string): void {
    if (this.tracing) this.trace.push(`${new Date(this.now).toISOString().slice(5, 23)} ${line}`);
  }
  violate(line: string): void {
    this.violations.push(line);
    this.note(`WRONG: ${line}`);
  }
  mayFail(name: string): boolean {
    if (this.now > this.faultsEnd || this.history.only?.includes(name) === false) return false;
    this.faults.push(name);
    return true;
  }

  /** What somebody sends to the API, and hears of it. */
  async request(name: string, path: string, sent: RequestInit): Promise<Heard> {
    const random = randomOf(this.history.seed, name);
    const isLost = (where: string) => random.chance(this.faulty) && this.mayFail(`${name} lost ${where}`);
    const [there, back] = [latency(random), latency(random)];
    await this.scheduler.sleep(there);
    if (isLost("on the way")) return undefined;
    const invocation = this.#isolates.begin(name, random);
    this.note(`${name}: ${path} ${sent.body ?? ""}`);
    const response = await this.#isolates.ask(
      invocation,
      new Request(`http://localhost:8788${path}`, sent),
      SITE_WAITS,
    );
    if (response === undefined) return undefined;
    const { status } = response;
    const text = await response.text();
    this.note(`${name}: ${status} ${text}`);
    if (status === 500 && !invocation.databaseFailed) this.violate(`${name}: a 500 though its database worked`);
    // While the database is slow, more passwords may wait than have their turn in time.
    const isBusy = status === 503 && text.includes("Too many sign-ups at once");
    if (status >= 500 && !isBusy && this.faulty === 0) this.violate(`${name}: a ${status} though nothing failed`);
    await this.scheduler.sleep(back);
    return isLost("on the way back") ? undefined : { status, text };
  }

  fetch(given: string, { method = "GET", headers = [], body = "", signal }: Init) {
    const url = new URL(given);
    const receiver = url.pathname === "/emails" ? "mail" : url.pathname.startsWith("/v1/") ? "stripe" : "console";
    const sent = new Headers(headers);
    const key = sent.get("idempotency-key") ?? sent.get("webhook-id") ?? undefined;
    const effect = (fate: Fate): Answer => {
      if (fate === "429" || fate === "409") return refusal(Number(fate), "rate_limit", "rate_limit_error");
      const fails = fate === "500" ? "before" : fate === "500 after" ? "after" : undefined;
      if (receiver === "stripe") return this.stripe.request(method, url, body, key, fails);
      const count = (this.got.get(key ?? "") ?? 0) + 1;
      if (fails !== "before") this.got.set(key ?? "", count);
      if (receiver === "mail" && count === 1) this.onMail(key ?? "", body);
      return fails ? refusal(500, "") : answer(200, {});
    };
    const done = this.#step(receiver, `${method} ${url.pathname}`, effect, signal);
    // As much of a Response as is read, since Node's own takes longer than Stripe.
    return done.then(({ status, text }) => {
      return { status, ok: status === 200, headers: [], bodyUsed: false, body: null, text: async () => text };
    });
  }

  /** Something that an invocation waits for: it takes its time, and may go wrong in any way. */
  #step<T>(receiver: Receiver, label: string, effect: (fate: Fate) => T, signal?: AbortSignal): Promise<T> {
    const invocation = this.running;
    const { random } = invocation;
    invocation.steps += 1;
    const name = `${invocation.name} #${invocation.steps}`;
    const { of, from, to } = this.#outage;
    const isOut = of === receiver && from < this.now && this.now < to;
    const delay = latency(random);
    const wanted = random.chance(this.faulty) ? random.oneOf<Fate>(FATES[receiver]) : "ok";
    const fate: Fate = isOut ? "fails" : wanted !== "ok" && this.mayFail(`${name} ${wanted}`) ? wanted : "ok";
    const broken =
      receiver === "database" ? new Error("D1_ERROR: Network connection lost.") : new TypeError("fetch failed");
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      const happen = () => {
        if (this.tracing) this.note(`${name} ${label.trim().slice(0, 80)}${fate === "ok" ? "" : ` — ${fate}`}`);
        if (fate !== "ok" && receiver === "database") invocation.databaseFailed = true;
        let settle = () => reject(broken);
        try {
          const result = ["fails", "hangs", "dies"].includes(fate) ? undefined : { of: effect(fate) };
          if (result && !/fails|hangs/.test(fate)) settle = () => resolve(result.of);
        } catch (reason) {
          settle = () => reject(reason);
        }
        if (receiver === "database") this.#planCron(this.now);
        if (fate.startsWith("dies")) invocation.isolate.alive = false;
        else if (fate.startsWith("hangs")) this.timer(settle, 25 * SECOND);
        else settle();
      };
      this.scheduler.after(delay, () => this.#isolates.resume(invocation, happen));
    });
  }

  #env(): object {
    const DB = d1Of(this.loaded.database, (label, effect) => this.#step("database", label, effect));
    return { ...SETTINGS, ONE_TRIAL_PER_PERSON: String(this.onePerPerson), DB };
  }

  /** Cloudflare runs the cron handler each minute. Runs that would find nothing due are left out. */
  #planCron(time: number): void {
    const minute = Math.max(Math.ceil(time / MINUTE), Math.floor(this.now / MINUTE) + 1) * MINUTE;
    if (minute >= this.#cronAt) return;
    this.#cronAt = minute;
    this.scheduler.after(minute - this.now, () => {
      if (this.#cronAt !== minute) return;
      this.#cronAt = Infinity;
      const [found] = this.loaded.database.run(
        `SELECT min(at) AS at FROM (SELECT min(check_at) AS at FROM sign_ups WHERE check_at IS NOT NULL
           UNION ALL SELECT min(next_attempt_at) FROM outbox WHERE state = 'due')`,
      ).results;
      if (typeof found?.at !== "string") return;
      const due = Date.parse(found.at);
      this.#planCron(due);
      if (due > this.now) return;
      const name = `cron ${Math.round((this.now - START) / MINUTE)}`;
      this.note(name);
      this.#isolates.runScheduled(this.#isolates.begin(name, randomOf(this.history.seed, name)));
    });
  }

  /** Stripe delivers late, twice, or never, in any order, and tries again what was not taken. */
  #tell(id: string, type: string, about: StripeObject): void {
    const random = randomOf(this.history.seed, id);
    const body = JSON.stringify({ id, object: "event", type, data: { object: about } });
    const delay = () => random.oneOf([random.between(10, 500), random.between(10, 5_000), random.between(0, 2 * HOUR)]);
    const deliver = async (attempt: number) => {
      const headers = { "stripe-signature": this.stripe.signed(body, String(SETTINGS.STRIPE_WEBHOOK_SECRET)) };
      const heard = await this.request(`${type} ${id} (${attempt})`, WEBHOOK, { method: "POST", headers, body });
      if (heard?.status === 200 || attempt === 0) return;
      if (attempt === DELIVERIES) this.untold.add(about.customer);
      else this.scheduler.after(MINUTE * 5 ** attempt, () => void deliver(attempt + 1));
    };
    if (random.chance(0.1) && this.faulty > 0 && this.mayFail(`${id} never sent`)) this.untold.add(about.customer);
    else this.scheduler.after(delay(), () => void deliver(1));
    if (random.chance(0.1)) this.scheduler.after(delay(), () => void deliver(0));
  }
}

/** Mostly milliseconds, sometimes long enough that everything else happens first. */
const latency = (random: Random) => (random.chance(0.88) ? random.between(1, 40) : random.between(40, 3_500));
