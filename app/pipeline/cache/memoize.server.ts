import type { ExecutionContext } from "../context.server";

type Memoized<Value> = (
  key: string,
  make: () => Promise<Value | undefined>,
  execution: ExecutionContext,
) => Value | Promise<Value | undefined>;

/**
 * Makes a value once per key and caches it in memory; simultaneous requests share one call. If `make` throws or returns
 * undefined, the result is undefined and is not cached. The caller bounds the number of keys.
 */
export function memoize<Value>(): Memoized<Value> {
  const kept = new Map<string, Value>();
  const pending = new Map<string, Promise<Value | undefined>>();

  async function store(key: string, make: () => Promise<Value | undefined>): Promise<Value | undefined> {
    try {
      const value = await make();
      if (value !== undefined) kept.set(key, value);
      return value;
    } catch {
      return undefined;
    } finally {
      pending.delete(key);
    }
  }

  return (key, make, execution) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const others = pending.get(key);
    if (others) return others;
    const making = store(key, make);
    pending.set(key, making);
    // Continues when the first visitor disconnects.
    execution.waitUntil(making);
    return making;
  };
}
