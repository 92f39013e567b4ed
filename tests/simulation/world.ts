import { cronOf, SETTINGS, sendEvent } from "./callers";
import { d1Of, MemoryDatabase } from "./database";
import type { Api, Globals, LoadedApi } from "./load-api";
import { type Random, randomOf } from "./random";
import { HOUR, MINUTE, Scheduler } from "./scheduler";
import { Stripe } from "./stripe";
import { type Customer, error, type Subscription } from "./stripe-objects";

const START = Date.parse("2026-03-02T08:00:00Z");
/** What Cloudflare gives to work that goes on after the answer, and to one run of the cron handler. */
const LIVES_AFTER_ANSWER = 30_000;
const CRON_LIVES = 15 * MINUTE;
const SITE_WAITS = 10_000;

/** A history: everything in it follows from these. */
export type History = {
  seed: number;
  /** Those who are there. */
  visitors: number[];
  /** The faults that happen, by their names; otherwise all. */
  only?: string[];
};

type Isolate = { api: Api; alive: boolean };
type Invocation = {
  name: string;
  isolate: Isolate;
  random: Random;
  steps: number;
  over: boolean;
  store: unknown;
  databaseFailed: boolean;
};
type Fate =
  | "ok"
  | "fails"
  | "fails after"
  | "hangs"
  | "hangs after"
  | "dies"
  | "dies after"
  | "500"
  | "500 after"
  | "429"
  | "409";
/** `undefined`: nobody knows. */
export type Heard = { status: number; text: string } | undefined;

let world: World | undefined;
const current = () => {
  if (world === undefined) throw new Error("There is no world");
  return world;
};

/** What the bundle of the API is given: it always finds the world that runs. */
export const globals: Globals = {
  now: () => current().scheduler.now,
  random: () => current().at.random.next(),
  uuid: () => current().uuid(),
  setTimeout: (run, milliseconds = 0) => current().timer(run, milliseconds),
  fetch: (url, init) => current().fetch(url, init),
  log: (line) => current().note(line),
  store: { get: () => world?.running?.store, set: (value) => Object.assign(current().at, { store: value }) },
};

/** One history: isolates, a database, Stripe, the receivers, and what goes wrong between them. */
export class World {
  readonly scheduler = new Scheduler(START);
  readonly database: MemoryDatabase;
  readonly stripe: Stripe;
  readonly random: Random;
  readonly onePerPerson: boolean;
  readonly days: number;
  /** How likely a step goes wrong, and until when. */
  readonly faulty: number;
  readonly faultsEnd: number;
  /** By their keys: what receivers got. */
  readonly mails = new Map<string, number>();
  readonly webhooks = new Map<string, number>();
  readonly faults: string[] = [];
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  running: Invocation | undefined;
  readonly #newApi: () => Api;
  readonly #isolates: Isolate[] = [];
  readonly #cron: ReturnType<typeof cronOf>;

  constructor(
    readonly history: History,
    loaded: LoadedApi,
    began: (subscription: Subscription, customer: Customer) => void,
    readonly tracing = false,
  ) {
    world = this;
    const random = randomOf(history.seed, "world");
    this.random = random;
    this.onePerPerson = random.chance(0.5);
    this.days = random.chance(0.25) ? 8 : 3.5;
    this.faulty = random.oneOf([0, 0.01, 0.03, 0.1]);
    this.faultsEnd = START + random.oneOf([1, 26, 60]) * HOUR;
    this.database = new MemoryDatabase(loaded.image);
    this.#newApi = loaded.start();
    this.stripe = new Stripe(this.scheduler, (event) => sendEvent(this, event), began);
    this.#cron = cronOf(this.scheduler, this.database, () => this.#runCron());
  }

  get at(): Invocation {
    if (this.running === undefined) throw new Error("Nothing runs");
    return this.running;
  }

  uuid(): string {
    const { random } = this.at;
    const hex = (digits: number) =>
      Math.floor(random.next() * 16 ** digits)
        .toString(16)
        .padStart(digits, "0");
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  note(line: string): void {
    if (this.tracing) this.trace.push(`${new Date(this.scheduler.now).toISOString().slice(5, 23)} ${line}`);
  }

  violate(line: string): void {
    this.violations.push(line);
    this.note(`WRONG: ${line}`);
  }

  timer(run: () => void, milliseconds: number): () => void {
    const invocation = this.at;
    return this.scheduler.after(milliseconds, () => this.#resume(invocation, run));
  }

  #resume(invocation: Invocation, run: () => void): void {
    if (invocation.over || !invocation.isolate.alive) return;
    this.running = invocation;
    run();
  }

  /** What a visitor or Stripe sends to the API, and hears of it. */
  async request(name: string, path: string, init: RequestInit): Promise<Heard> {
    const random = randomOf(this.history.seed, name);
    const [there, back] = [latency(random), latency(random)];
    await this.scheduler.sleep(there);
    if (this.#hasFault(random, name, "lost on the way")) return undefined;
    return new Promise((resolve) => {
      const invocation = this.#begin(name, random);
      this.note(`${name}: ${init.method ?? "GET"} ${path}`);
      const end = (after: number) => this.scheduler.after(after, () => this.#end(invocation));
      const gone = this.scheduler.after(SITE_WAITS, () => {
        resolve(undefined);
        end(LIVES_AFTER_ANSWER);
      });
      const env = this.#envFor(invocation);
      const request = new Request(`http://localhost:8788${path}`, init);
      const answered = async () => {
        const response = await invocation.isolate.api.fetch(request, env, {
          waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
        });
        const heard = { status: response.status, text: await response.text() };
        this.note(`${name}: ${heard.status} ${heard.text}`);
        if (heard.status === 500 && !invocation.databaseFailed)
          this.violate(`${name} was answered with a 500 though its database worked`);
        if (heard.status >= 500 && this.faulty === 0)
          this.violate(`${name} was answered with a ${heard.status} though nothing failed`);
        gone();
        end(LIVES_AFTER_ANSWER);
        this.scheduler.after(back, () =>
          resolve(this.#hasFault(random, name, "lost on the way back") ? undefined : heard),
        );
      };
      answered().catch((reason) => this.violate(`${name}: ${String(reason)}`));
    });
  }

  fetch(given: string, init: RequestInit): Promise<Response> {
    const url = new URL(given);
    const method = init.method ?? "GET";
    const headers = new Headers(init.headers);
    const body = typeof init.body === "string" ? init.body : "";
    const isStripe = url.pathname.startsWith("/v1/");
    const fates: [Fate, ...Fate[]] = [
      "fails",
      "fails after",
      "hangs",
      "hangs after",
      "dies",
      "dies after",
      "500",
      "500 after",
      "429",
    ];
    if (isStripe && method === "POST") fates.push("409");
    const effect = (fate: Fate) => {
      if (fate === "429") return answer(error(429, "rate_limit_error", "rate_limit"));
      if (fate === "409") return answer(error(409, "idempotency_error", "idempotency_key_in_use"));
      const failure = fate === "500" || fate === "500 after" ? fate : undefined;
      if (isStripe) return answer(this.stripe.request(method, url, body, headers.get("idempotency-key"), failure));
      const got = url.pathname === "/emails" ? this.mails : this.webhooks;
      const key = headers.get(url.pathname === "/emails" ? "idempotency-key" : "webhook-id") ?? "";
      if (fate !== "500") got.set(key, (got.get(key) ?? 0) + 1);
      return answer(failure ? error(500, "", "") : { status: 200, body: { id: "1" } });
    };
    return this.#step(`${method} ${url.pathname}`, fates, effect, () => new TypeError("fetch failed"), init.signal);
  }

  /** Something that an invocation waits for: it takes its time, and may go wrong in any way. */
  #step<T>(
    label: string,
    fates: [Fate, ...Fate[]],
    effect: (fate: Fate) => T,
    failure: () => Error,
    signal?: AbortSignal | null,
  ): Promise<T> {
    const invocation = this.at;
    const { random } = invocation;
    invocation.steps += 1;
    const name = `${invocation.name} #${invocation.steps} ${label}`;
    const delay = latency(random);
    const wanted = random.chance(this.faulty) ? random.oneOf(fates) : "ok";
    const fate: Fate = wanted === "ok" || !this.mayFail(`${name} ${wanted}`) ? "ok" : wanted;
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      this.scheduler.after(delay, () =>
        this.#resume(invocation, () => {
          this.note(fate === "ok" ? name : `${name} — ${fate}`);
          const before = fate === "fails" || fate === "hangs" || fate === "dies";
          let result: T | undefined;
          let thrown: unknown;
          try {
            if (!before) result = effect(fate);
          } catch (reason) {
            thrown = reason;
          }
          if (fate.startsWith("dies")) invocation.isolate.alive = false;
          else if (fate.startsWith("hangs")) this.timer(() => reject(failure()), 25_000);
          else if (fate.startsWith("fails")) reject(failure());
          else if (thrown !== undefined || result === undefined) reject(thrown);
          else resolve(result);
        }),
      );
    });
  }

  #hasFault(random: Random, name: string, what: string): boolean {
    return random.chance(this.faulty) && this.mayFail(`${name} ${what}`);
  }

  mayFail(name: string): boolean {
    if (this.scheduler.now > this.faultsEnd || this.history.only?.includes(name) === false) return false;
    this.faults.push(name);
    return true;
  }

  #begin(name: string, random: Random): Invocation {
    // Two at a time, as in two data centres.
    const place = random.chance(0.5) ? 0 : 1;
    const known = this.#isolates[place];
    const isolate = known?.alive ? known : { api: this.#newApi(), alive: true };
    this.#isolates[place] = isolate;
    this.running = { name, isolate, random, steps: 0, over: false, store: undefined, databaseFailed: false };
    return this.running;
  }

  #end(invocation: Invocation): void {
    invocation.over = true;
  }

  #envFor(invocation: Invocation): object {
    const fates: [Fate, ...Fate[]] = ["fails", "fails after", "hangs", "hangs after", "dies", "dies after"];
    const failure = () => {
      invocation.databaseFailed = true;
      return new Error("D1_ERROR: Network connection lost.");
    };
    const DB = d1Of(this.database, (label, effect) => {
      this.#cron.plan(this.scheduler.now);
      return this.#step(label.trim().slice(0, 60), fates, effect, failure);
    });
    return { ...SETTINGS, ONE_TRIAL_PER_PERSON: String(this.onePerPerson), DB };
  }

  #runCron(): void {
    const name = `cron ${Math.round((this.scheduler.now - START) / MINUTE)}`;
    const invocation = this.#begin(name, randomOf(this.history.seed, name));
    this.note(name);
    invocation.isolate.api.scheduled(null, this.#envFor(invocation)).catch(() => {});
    this.scheduler.after(CRON_LIVES, () => this.#end(invocation));
  }

  close(): void {
    this.database.close();
    world = undefined;
  }
}

function answer({ status, body }: { status: number; body: object }): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

/** Mostly milliseconds, sometimes long enough that everything else happens first. */
function latency(random: Random): number {
  return random.chance(0.88) ? random.between(1, 40) : random.between(40, 3_500);
}
