import type { PoolOptions, PoolWorker, Vitest, WorkerRequest } from "vitest/node";
import { ThreadsPoolWorker } from "vitest/node";

type Callback = (value: unknown) => void;

/**
 * A thread that goes on living between the runs of Vitest: to load React, Remix and Stripe's package takes ten times as long
 * as the tests of one mutant. A run that ends early, as at a timeout, has Stryker start a new process.
 */
class KeptWorker implements PoolWorker {
  readonly name = "kept";
  readonly #thread: ThreadsPoolWorker;
  readonly #listeners = new Set<Callback>();
  #started = false;

  constructor(options: PoolOptions) {
    this.#thread = new ThreadsPoolWorker(options);
  }
  on(event: string, callback: Callback): void {
    if (event === "message") this.#listeners.add(callback);
    this.#thread.on(event, callback);
  }
  off(event: string, callback: Callback): void {
    this.#listeners.delete(callback);
    this.#thread.off(event, callback);
  }
  send(message: WorkerRequest): void {
    if (message.type !== "stop") {
      this.#thread.send(message);
      return;
    }
    const stopped = { type: "stopped", __vitest_worker_response__: true };
    setImmediate(() => {
      for (const listener of this.#listeners) listener(stopped);
    });
  }
  async start(): Promise<void> {
    if (!this.#started) await this.#thread.start();
    this.#started = true;
  }
  async stop(): Promise<void> {}
  end(): Promise<void> {
    return this.#thread.stop();
  }
  deserialize = (data: unknown) => data;
}

/** Has all of Vitest's runs happen in one thread. */
export function keepWorker({ vitest }: { vitest: Vitest }): void {
  let kept: KeptWorker | undefined;
  const createPoolWorker = (options: PoolOptions) => {
    kept ??= new KeptWorker(options);
    return kept;
  };
  for (const project of vitest.projects) {
    vitest.onClose(async () => kept?.end());
    Object.assign(project.config, { pool: "kept", poolRunner: { name: "kept", createPoolWorker } });
  }
}
