import { SECOND } from "../support/api-in-process/scheduler";
import type { Api, LoadedApi } from "./loaded-api";
import type { Random } from "./random";

/** Cloudflare's time limits: for work after the answer, and for one run of the cron handler. */
const LIVES_AFTER_ANSWER = 30 * SECOND;
const CRON_LIVES = 15 * 60 * SECOND;

type Isolate = { api: Api; env: object; alive: boolean };

class Invocation {
  steps = 0;
  /** Counts the answer and the promises given to `waitUntil` until they settle. */
  pending = 1;
  over = false;
  databaseFailed = false;
  stored?: Map<object, unknown>;

  constructor(
    readonly name: string,
    readonly isolate: Isolate,
    readonly random: Random,
  ) {}

  release(): void {
    this.pending -= 1;
    this.over ||= this.pending === 0;
  }
}

/** Isolates and their invocations, started and ended as Cloudflare does. */
export class Isolates {
  readonly #isolates: Isolate[] = [];
  #running: Invocation | undefined;

  constructor(
    readonly loaded: LoadedApi,
    readonly after: (milliseconds: number, run: () => void) => void,
    readonly newEnv: () => object,
  ) {}

  /** The invocation whose code runs now. */
  get running(): Invocation {
    if (this.#running === undefined) throw new Error("Nothing runs");
    return this.#running;
  }

  /** Two isolates at a time, as in two data centers; a dead one is replaced. */
  begin(name: string, random: Random): Invocation {
    const place = random.next() < 0.5 ? 0 : 1;
    const known = this.#isolates[place];
    const isolate = known?.alive ? known : { api: this.loaded.start(place), env: this.newEnv(), alive: true };
    this.#isolates[place] = isolate;
    this.#running = new Invocation(name, isolate, random);
    return this.#running;
  }

  resume(invocation: Invocation, run: () => void): void {
    if (invocation.over || !invocation.isolate.alive) return;
    this.#running = invocation;
    run();
  }

  timer(run: () => void, milliseconds = 0): () => void {
    const invocation = this.running;
    let isDue = true;
    this.after(milliseconds, () => isDue && this.resume(invocation, run));
    return () => {
      isDue = false;
    };
  }

  /** Returns undefined without an answer within `waits` milliseconds. Afterwards only the work given to `waitUntil` continues. */
  ask(invocation: Invocation, request: Request, waits: number): Promise<Response | undefined> {
    const { api, env } = invocation.isolate;
    const release = () => invocation.release();
    const waitUntil = (work: Promise<unknown>) => {
      invocation.pending += 1;
      work.then(release, release);
    };
    return new Promise((resolve, reject) => {
      let isOpen = true;
      const close = (answer: Response | undefined) => {
        if (isOpen) release();
        isOpen = false;
        this.#endAfter(LIVES_AFTER_ANSWER, invocation);
        resolve(answer);
      };
      this.after(waits, () => close(undefined));
      api.fetch(request, env, { waitUntil }).then(close, reject);
    });
  }

  runScheduled(invocation: Invocation): void {
    const end = () => this.#endAfter(0, invocation);
    invocation.isolate.api.scheduled(null, invocation.isolate.env).then(end, end);
    this.#endAfter(CRON_LIVES, invocation);
  }

  #endAfter(milliseconds: number, invocation: Invocation): void {
    this.after(milliseconds, () => {
      invocation.over = true;
    });
  }
}
