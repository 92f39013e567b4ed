export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

type Waiting = { at: number; order: number; run: () => void; dropped: boolean };

/** Everything that happens in the world, in the order of a clock of its own. Nothing waits for real time. */
export class Scheduler {
  now: number;
  #order = 0;
  readonly #heap: Waiting[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** @returns what takes it back */
  after(milliseconds: number, run: () => void): () => void {
    const waiting = { at: this.now + Math.max(0, milliseconds), order: this.#order++, run, dropped: false };
    this.#push(waiting);
    return () => {
      waiting.dropped = true;
    };
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Takes step after step until then. What a step sets off is over before the next one is taken. */
  runUntil(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        try {
          let waiting = this.#pop(end);
          while (waiting?.dropped) waiting = this.#pop(end);
          if (waiting === undefined) {
            this.now = end;
            resolve();
            return;
          }
          this.now = waiting.at;
          waiting.run();
          setImmediate(next);
        } catch (error) {
          reject(error);
        }
      };
      setImmediate(next);
    });
  }

  #push(waiting: Waiting): void {
    const heap = this.#heap;
    let at = heap.push(waiting) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(waiting, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = waiting;
  }

  #pop(end: number): Waiting | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > end) return undefined;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below && right && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
