import { AsyncLocalStorage } from "node:async_hooks";

const deadlines = new AsyncLocalStorage<number>();

/** Stripe calls of this work, retries included, share one deadline. @param deadline milliseconds since 1970 */
export function withDeadline<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  return deadlines.run(deadline, work);
}

export function isOverdue(): boolean {
  return Date.now() >= (deadlines.getStore() ?? Infinity);
}

/** Throws at the deadline, even if the call and its retries continue. */
export async function inTime<T>(request: () => Promise<T>): Promise<T> {
  const left = (deadlines.getStore() ?? Infinity) - Date.now();
  if (left === Infinity) return request();
  if (left <= 0) throw new DeadlinePassed();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed()), left);
  });
  try {
    return await Promise.race([request(), end]);
  } finally {
    clearTimeout(timer);
  }
}

class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}
