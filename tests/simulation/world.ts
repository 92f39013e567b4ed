import { d1Of } from "../support/api-in-process/database";
import { DAY, HOUR, MINUTE, Scheduler, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { type Answer, answer, refusal, type StripeObject } from "../support/api-in-process/stripe-objects";
import { sign } from "../support/stripe-events";
import { FATES, type Fate, latency, type Receiver, stepOf } from "./fates";
import { Isolates } from "./isolates";
import type { Init, LoadedApi, Platform } from "./loaded-api";
import { PACKAGES, PriceList } from "./price-list";
import { randomOf } from "./random";
import { Stripe, type StripeFault, TooManyCalls } from "./stripe-model";

/** Midnights (UTC) at which a month, February 29 or a year begins or ends. */
const MIDNIGHTS = ["2026-02-01", "2026-05-01", "2026-03-01", "2028-02-29", "2028-03-01", "2027-01-01"] as const;
/** The probability that a step fails. */
const FAULTY = [0, 0.01, 0.05, 0.1, 0.15];
/** A history ends after the reminder, or after the trial's end. */
const DAYS = [4.5, 10] as const;
/** A reminder is due 72 hours after the trial's start, and the trial ends after 120. */
const LATER_FAULTS = [71, 119];
const SITE_WAITS = 10 * SECOND;
const DELIVERIES = 6;
/** With faults, some creations at Stripe take this long, and reads meanwhile get a 500 for READS_FAIL. */
const SLOW_CREATION = 18 * SECOND;
const READS_FAIL = 5 * SECOND;
const LONGEST_REQUEST = 20 * SECOND;
const WEBHOOK = "/webhooks/stripe";

/** How a call fails at Stripe or another receiver. */
const FAILURES: Partial<Record<Fate, StripeFault>> = { "400": "refused", "500": "before", "500 after": "after" };

/** The same seed and visitors always give the same history. */
export type History = { seed: number; visitors: number[] };
/** The API's answer; undefined if none arrived. */
export type Reply = Answer | undefined;

/** One history: isolates, a database, Stripe, the receivers, and the faults between them. */
export class World implements Platform {
  readonly scheduler: Scheduler;
  readonly stripe: Stripe;
  readonly prices: PriceList;
  readonly onePerPerson: boolean;
  readonly start: number;
  readonly end: number;
  readonly faulty: number;
  /** True if nothing fails and nothing has an outage. */
  readonly isSound: boolean;
  /** Number of deliveries of emails and account webhooks, by key. */
  readonly got = new Map<string, number>();
  /** Pairs of a step and its fault. */
  readonly reached = new Set<string>();
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  readonly #windows: { from: number; to: number }[] = [];
  readonly #outage: { of?: Receiver; from: number; to: number } = { from: 0, to: 0 };
  readonly #isolates: Isolates;
  /** End of the request to Stripe in progress, by idempotency key. */
  readonly #inUse = new Map<string, number>();
  /** The API's clock is an hour ahead in this period. */
  readonly #clockJumps: { from: number; to: number } = { from: 0, to: 0 };
  #readsFailUntil = 0;
  #cronAt = Infinity;

  constructor(
    readonly history: History,
    readonly loaded: LoadedApi,
    readonly tracing: boolean,
    readonly watch: (subscription: StripeObject) => void,
    readonly onMail: (key: string, text: string) => void,
    readonly onStripeCall: (invocation: string) => void,
  ) {
    loaded.enter(this);
    const random = randomOf(history.seed, "world");
    const start = Date.parse(random.oneOf(MIDNIGHTS)) + random.between(-30, 30) * MINUTE;
    this.start = start;
    this.scheduler = new Scheduler(start);
    this.prices = new PriceList(history.seed, this.scheduler);
    // Ten seeds in a row cover every pair of values of these four variables.
    const level = Math.abs(history.seed) % FAULTY.length;
    const isLong = history.seed % 2 !== 0;
    this.faulty = FAULTY[level] ?? 0;
    this.end = start + DAYS[isLong ? 1 : 0] * DAY;
    this.onePerPerson = isLong !== [2, 3].includes(level);
    const hasOutage = isLong !== [0, 2].includes(level);
    this.isSound = this.faulty === 0 && !hasOutage;

    const window = (from: number, hours: number) => ({ from: start + from * HOUR, to: start + (from + hours) * HOUR });
    const laterFaults = isLong ? LATER_FAULTS : LATER_FAULTS.slice(0, 1);
    if (this.faulty > 0)
      this.#windows = [
        window(0, random.oneOf([1, 1, 26, 54])),
        ...laterFaults.map((from) => window(from, random.oneOf([4, 28]))),
      ];
    const of = random.oneOf<Receiver>(["stripe", "mail", "console", "database"]);
    const from = random.oneOf([random.between(0, 24), random.between(0, 24), ...laterFaults]);
    if (hasOutage) {
      this.#outage = { of, ...window(from, random.between(0, 12)) };
      this.#windows.push(this.#outage);
    }
    if (this.faulty > 0 && random.chance(0.3)) {
      this.#clockJumps = window(random.between(0, 30), random.between(0, 1));
      this.#windows.push(this.#clockJumps);
    }
    this.#isolates = new Isolates(loaded, this.scheduler.after.bind(this.scheduler), () => this.#env());
    this.stripe = new Stripe(this.scheduler, (...event) => this.#deliverEvent(...event));
    if (this.faulty > 0 && random.chance(0.3)) {
      const archived = window(random.between(0, 0.5), random.between(0, 4));
      this.#windows.push(archived);
      this.#archive(random.oneOf(PACKAGES).price, archived);
    }
  }

  get now(): number {
    return this.scheduler.now;
  }
  get clock(): number {
    const { from, to } = this.#clockJumps;
    return this.now + (from < this.now && this.now < to ? HOUR : 0);
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
  isQuietFor(milliseconds: number): boolean {
    return !this.#windows.some(({ from, to }) => from <= this.now && this.now <= to + milliseconds);
  }
  mayFail(step: string): boolean {
    return !this.isQuietFor(0) && this.reached.add(step).size > 0;
  }

  /** Sends a request to the API and returns its answer, if one arrives. */
  async request(name: string, path: string, sent: RequestInit): Promise<Reply> {
    const random = randomOf(this.history.seed, name);
    const route = `${sent.method ?? "GET"} ${path.split("/").slice(0, 3).join("/")}`;
    const isLost = (where: string) => random.chance(this.faulty) && this.mayFail(`${route}: lost ${where}`);
    const [there, back] = [latency(random), latency(random)];
    await this.scheduler.sleep(there);
    if (isLost("on the way")) return undefined;
    const invocation = this.#isolates.begin(name, random);
    this.note(`${name}: ${path} ${sent.body ?? ""}`);
    const sentRequest = new Request(`http://localhost:8788${path}`, sent);
    const response = await this.#isolates.ask(invocation, sentRequest, SITE_WAITS);
    if (response === undefined) return undefined;
    const { status } = response;
    const text = await response.text();
    this.note(`${name}: ${status} ${text}`);
    if (status === 500 && !invocation.databaseFailed) this.violate(`${name} got a 500 although its database worked`);
    if (status >= 500 && this.isSound) this.violate(`${name} got a ${status} although nothing failed`);
    await this.scheduler.sleep(back);
    return isLost("on the way back") ? undefined : { status, text };
  }

  fetch(given: string, { method = "GET", headers = [], body = "", signal }: Init) {
    const url = new URL(given);
    const receiver = url.pathname === "/emails" ? "mail" : url.pathname.startsWith("/v1/") ? "stripe" : "console";
    const sent = new Headers(headers);
    const key = sent.get("idempotency-key") ?? sent.get("webhook-id") ?? undefined;
    const end = this.#begin(receiver === "stripe" && method === "POST" ? key : undefined);
    const effect = (fate: Fate): Answer => {
      const inUse = end();
      if (inUse) return inUse;
      if (fate === "429" || fate === "409") return refusal(Number(fate), "rate_limit", "rate_limit_error");
      const fails = FAILURES[fate];
      if (receiver === "stripe") return this.#askStripe(() => this.stripe.request(method, url, body, key, fails));
      const count = (this.got.get(key ?? "") ?? 0) + 1;
      if (fails !== "before") this.got.set(key ?? "", count);
      if (receiver === "mail" && count === 1) this.onMail(key ?? "", body);
      return fails ? refusal(500, "") : answer(200, {});
    };
    const done = this.#step(receiver, `${method} ${url.pathname}`, effect, signal);
    // Only the parts of a Response that the API reads, because Node's own Response is too slow.
    return done.then(({ status, text }) => {
      return { status, ok: status === 200, headers: [], bodyUsed: false, body: null, text: async () => text };
    });
  }

  /** Ends the history if a sign-up calls Stripe in an endless loop. */
  #askStripe(request: () => Answer): Answer {
    try {
      return request();
    } catch (error) {
      if (!(error instanceof TooManyCalls)) throw error;
      this.violate(error.message);
      this.scheduler.stop();
      return refusal(500, "api_error", "api_error");
    }
  }

  /**
   * Begins a request that changes something at Stripe. Until it ends, Stripe refuses others with the same idempotency key.
   * @returns a function that ends the request and returns the refusal, if there was one
   */
  #begin(key: string | undefined): () => Answer | undefined {
    if (key === undefined) return () => undefined;
    if ((this.#inUse.get(key) ?? 0) > this.now)
      return () => refusal(409, "idempotency_key_in_use", "idempotency_error");
    this.#inUse.set(key, this.now + LONGEST_REQUEST);
    return () => void this.#inUse.delete(key);
  }

  /** Makes a call for the running invocation, with a delay and possible faults. */
  #step<T>(receiver: Receiver, label: string, effect: (fate: Fate) => T, signal?: AbortSignal): Promise<T> {
    const invocation = this.running;
    const { random } = invocation;
    if (receiver === "stripe" && random.chance(this.faulty / 20) && this.mayFail(`erasure during ${stepOf(label)}`))
      this.onStripeCall(invocation.name);
    invocation.steps += 1;
    const name = `${invocation.name} #${invocation.steps}`;
    const { of, from, to } = this.#outage;
    const isOut = of === receiver && from < this.now && this.now < to;
    const isSlow = /^POST \/v1\/[a-z_]+$/.test(label) && random.chance(0.5) && this.mayFail("stripe: slow");
    if (isSlow) this.#readsFailUntil = this.now + READS_FAIL;
    const delay = isSlow ? SLOW_CREATION : latency(random);
    const isBesideSlow = this.now < this.#readsFailUntil && label.startsWith("GET /v1/") && random.chance(0.7);
    const wanted = isBesideSlow ? "500" : random.chance(this.faulty) ? random.oneOf<Fate>(FATES[receiver]) : "ok";
    const isHit = wanted !== "ok" && !isOut && this.mayFail(`${receiver} ${stepOf(label)}: ${wanted}`);
    const fate: Fate = isOut ? "fails" : isHit ? wanted : "ok";
    const broken =
      receiver === "database" ? new Error("D1_ERROR: Network connection lost.") : new TypeError("fetch failed");
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      // Stripe carries on even if the API no longer waits.
      if (isSlow) {
        this.scheduler.after(delay, () => {
          const made = effect("ok");
          this.note(`${name} ${label} — slow`);
          this.#isolates.resume(invocation, () => resolve(made));
        });
        return;
      }
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

  /** Runs the cron handler every minute in which something is due. */
  #planCron(time: number): void {
    const minute = Math.max(Math.ceil(time / MINUTE), Math.floor(this.now / MINUTE) + 1) * MINUTE;
    if (minute >= this.#cronAt) return;
    this.#cronAt = minute;
    this.scheduler.after(minute - this.now, () => {
      if (this.#cronAt !== minute) return;
      this.#cronAt = Infinity;
      const [found] = this.loaded.database.run(
        `SELECT min(at) AS at FROM (SELECT min(check_at) AS at FROM sign_ups WHERE check_at IS NOT NULL
           UNION ALL SELECT min(next_attempt_at) FROM outbox WHERE state = 'due'
           UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(ran_at, '2000-01-01'), '+1 hour') FROM cron_runs
             WHERE name = 'undelivered-events' AND ?
           UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:%fZ', min(deleted_at), ?) FROM deleted_sign_ups)`,
        // A run that finds no undelivered event changes nothing, nor one that finds no customer of a deleted sign-up.
        [this.stripe.undelivered.size > 0 ? 1 : 0, this.#hasLateCustomer() ? "+0 minutes" : "+61 minutes"],
      ).results;
      if (typeof found?.at !== "string") return;
      const due = Date.parse(found.at);
      this.#planCron(due);
      if (due > this.now) return;
      const name = `cron ${Math.round(this.now / MINUTE)}`;
      this.note(name);
      this.#isolates.runScheduled(this.#isolates.begin(name, randomOf(this.history.seed, name)));
    });
  }

  /** Somebody archives a price in Stripe's dashboard, and makes it active again hours later. */
  #archive(priceId: string, { from, to }: { from: number; to: number }): void {
    const set = (active: boolean) => () => {
      this.note(`${priceId} is ${active ? "active again" : "archived"}`);
      Object.assign(this.stripe.get(priceId) ?? {}, { active });
    };
    this.scheduler.after(from - this.now, set(false));
    this.scheduler.after(to - this.now, set(true));
  }

  /** True if a customer at Stripe belongs to no sign-up. */
  #hasLateCustomer(): boolean {
    const known = new Set(this.loaded.database.run("SELECT id FROM sign_ups").results.map(({ id }) => id));
    return this.stripe.all("customer").some(({ deleted, metadata }) => !deleted && !known.has(metadata.sign_up_id));
  }

  /** Delivers an event late, twice or never, in any order, and repeats it if it is refused. */
  #deliverEvent(id: string, type: string, about: StripeObject): void {
    if (about.object === "subscription" && about.status !== "canceled") this.watch(about);
    const random = randomOf(this.history.seed, id);
    const body = JSON.stringify({ id, object: "event", type, data: { object: about } });
    this.stripe.undelivered.add(id);
    this.#planCron(this.now);
    const delay = () => random.oneOf([random.between(10, 500), random.between(10, 5_000), random.between(0, 2 * HOUR)]);
    const deliver = async (attempt: number) => {
      const headers = { "stripe-signature": sign(body, undefined, Math.floor(this.now / SECOND)) };
      const reply = await this.request(`${type} ${id} (${attempt})`, WEBHOOK, { method: "POST", headers, body });
      if (reply?.status === 200) this.stripe.undelivered.delete(id);
      else if (attempt > 0 && attempt < DELIVERIES)
        this.scheduler.after(MINUTE * 5 ** attempt, () => void deliver(attempt + 1));
    };
    // Most events fall into the first window, so fewer of these are lost.
    const isLost = this.faulty > 0 && random.chance(about.status === "requires_payment_method" ? 0.1 : 0.2);
    if (!isLost || !this.mayFail(`${type}: never sent`)) this.scheduler.after(delay(), () => void deliver(1));
    if (random.chance(0.1)) this.scheduler.after(delay(), () => void deliver(0));
  }
}
