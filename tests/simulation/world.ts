import type { SqlValue } from "sql.js";
import { d1Of } from "../support/api-in-process/database";
import { HOUR, Scheduler, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { type Answer, answer, refusal, type StripeObject } from "../support/api-in-process/stripe-objects";
import {
  type Conditions,
  conditionsOf,
  FAILURES,
  FATES,
  type Fate,
  latency,
  type Receiver,
  stepOf,
} from "./conditions";
import { Cron } from "./cron";
import { Isolates } from "./isolates";
import type { Init, LoadedApi, Platform } from "./loaded-api";
import { PACKAGES } from "./packages";
import { randomOf } from "./random";
import type { Event } from "./stripe/events";
import { edgeFailure, KeysInUse } from "./stripe/idempotency-keys";
import { Stripe, TooManyCalls } from "./stripe/stripe-model";

const SITE_WAITS = 10 * SECOND;
/** With faults, some creations at Stripe take this long, and reads meanwhile get a 500 for READS_FAIL. */
const SLOW_CREATION = 18 * SECOND;
const READS_FAIL = 5 * SECOND;
/** The probability that somebody ends a trial just before a call about it. */
const CHARGED = 0.02;

/** The API's answer; undefined if none arrived. */
export type Reply = Answer | undefined;

/** One history: isolates, a database, Stripe, the receivers, and the faults between them. */
export class World implements Platform {
  readonly scheduler: Scheduler;
  readonly stripe: Stripe;
  /** The prices in cents that the site shows now, by package ID. */
  readonly sitePrices = new Map(PACKAGES.map(({ id, cents }) => [id, cents]));
  readonly conditions: Conditions;
  /** Number of deliveries of emails and account webhooks, by key. */
  readonly got = new Map<string, number>();
  /** Pairs of a step and its fault. */
  readonly reached = new Set<string>();
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  readonly #isolates: Isolates;
  readonly #keysInUse: KeysInUse;
  #readsFailUntil = 0;
  readonly #cron: Cron;

  constructor(
    readonly seed: number,
    readonly loaded: LoadedApi,
    readonly tracing: boolean,
    readonly onEvent: (event: Event, about: StripeObject) => void,
    readonly onMail: (key: string, text: string) => void,
    readonly onStripeCall: (invocation: string) => void,
  ) {
    loaded.enter(this);
    this.conditions = conditionsOf(seed);
    this.scheduler = new Scheduler(this.conditions.from);
    this.#keysInUse = new KeysInUse(this.scheduler);
    this.#isolates = new Isolates(loaded, this.scheduler.after.bind(this.scheduler), () => this.#newEnv());
    this.stripe = new Stripe(this.scheduler, onEvent);
    this.#cron = new Cron(this.scheduler, loaded, (name) => {
      this.note(name);
      this.#isolates.runScheduled(this.#isolates.begin(name, randomOf(seed, name)));
    });
  }

  get now(): number {
    return this.scheduler.now;
  }
  get clock(): number {
    const { from, to } = this.conditions.clockJump;
    return this.now + (from < this.now && this.now < to ? HOUR : 0);
  }
  get running() {
    return this.#isolates.running;
  }
  rows(sql: string, ...values: SqlValue[]) {
    return this.loaded.database.run(sql, values).results;
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
    return !this.conditions.windows.some(({ from, to }) => from <= this.now && this.now <= to + milliseconds);
  }
  mayFail(step: string): boolean {
    return !this.isQuietFor(0) && this.reached.add(step).size > 0;
  }

  /** Sends a request to the API and returns its answer, if one arrives. */
  async request(name: string, path: string, sent: RequestInit): Promise<Reply> {
    const random = randomOf(this.seed, name);
    const route = `${sent.method ?? "GET"} ${path.split("/").slice(0, 3).join("/")}`;
    const isLost = (where: string) => random.chance(this.conditions.faulty) && this.mayFail(`${route}: lost ${where}`);
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
    this.note(`${name}: ${status} ${/<h1>(.*)<\/h1>/.exec(text)?.[1] ?? text}`);
    if (status === 500 && !invocation.databaseFailed) this.violate(`${name} got a 500 although its database worked`);
    if (status >= 500 && this.conditions.isSound) this.violate(`${name} got a ${status} although nothing failed`);
    await this.scheduler.sleep(back);
    return isLost("on the way back") ? undefined : { status, text };
  }

  fetch(given: string, { method = "GET", headers = [], body = "", signal }: Init) {
    const url = new URL(given);
    const receiver = url.pathname === "/emails" ? "mail" : url.pathname.startsWith("/v1/") ? "stripe" : "console";
    const sent = new Headers(headers);
    const key = sent.get("idempotency-key") ?? sent.get("webhook-id") ?? undefined;
    const { random } = this.running;
    const isEdgeDown = () => random.chance(0.5) && this.mayFail("stripe: the edge fails beside a slow request");
    const end = this.#keysInUse.begin(receiver === "stripe" && method === "POST" ? key : undefined, isEdgeDown);
    const isCharged = receiver === "stripe" && random.chance(CHARGED);
    const effect = (fate: Fate): Answer => {
      if (fate === "502 later") {
        this.scheduler.after(random.between(0, SLOW_CREATION), () => void effect("ok"));
        return edgeFailure;
      }
      const inUse = end();
      if (inUse) return inUse;
      if (fate === "502") return edgeFailure;
      if (fate === "429" || fate === "409") return refusal(Number(fate), "rate_limit", "rate_limit_error");
      const fails = FAILURES[fate];
      if (receiver === "stripe") {
        if (isCharged) this.stripe.trials.endBefore(url, body);
        return this.#askStripe(() => this.stripe.request(method, url, body, key, fails));
      }
      const count = (this.got.get(key ?? "") ?? 0) + 1;
      if (fails !== "before") this.got.set(key ?? "", count);
      if (receiver === "mail" && count === 1) this.onMail(key ?? "", body);
      return fails ? refusal(500, "") : answer(200, {});
    };
    const done = this.#step(receiver, `${method} ${url.pathname}`, effect, signal);
    // Only the parts of a Response that the API reads, because Node's own Response is too slow.
    return done.then(({ status, text, isReplayed }) => {
      const headers = isReplayed ? [["idempotent-replayed", "true"]] : [];
      return { status, ok: status === 200, headers, bodyUsed: false, body: null, text: async () => text };
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

  /** Makes a call for the running invocation, with a delay and possible faults. */
  #step<T>(receiver: Receiver, label: string, effect: (fate: Fate) => T, signal?: AbortSignal): Promise<T> {
    const invocation = this.running;
    const { random } = invocation;
    const isErased = receiver === "stripe" && random.chance(this.conditions.faulty / 20);
    if (isErased && this.mayFail(`erasure during ${stepOf(label)}`)) this.onStripeCall(invocation.name);
    invocation.steps += 1;
    const name = `${invocation.name} #${invocation.steps}`;
    const { of, from, to } = this.conditions.outage;
    const isOut = of === receiver && from < this.now && this.now < to;
    const isSlow = /^POST \/v1\/[a-z_]+$/.test(label) && random.chance(0.5) && this.mayFail("stripe: slow");
    if (isSlow) this.#readsFailUntil = this.now + READS_FAIL;
    const delay = isSlow ? SLOW_CREATION : latency(random);
    const isBesideSlow = this.now < this.#readsFailUntil && label.startsWith("GET /v1/") && random.chance(0.7);
    const wanted = isBesideSlow
      ? "500"
      : random.chance(this.conditions.faulty)
        ? random.oneOf<Fate>(FATES[receiver])
        : "ok";
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
        if (receiver === "database") this.#cron.plan(this.now);
        if (fate.startsWith("dies")) invocation.isolate.alive = false;
        else if (fate.startsWith("hangs")) this.timer(settle, 25 * SECOND);
        else settle();
      };
      this.scheduler.after(delay, () => this.#isolates.resume(invocation, happen));
    });
  }

  #newEnv(): object {
    const DB = d1Of(this.loaded.database, (label, effect) => this.#step("database", label, effect));
    return { ...SETTINGS, ONE_TRIAL_PER_PERSON: String(this.conditions.onePerPerson), DB };
  }
}
