/** How many connections an invocation may have open. Further calls would wait while their timeouts run. */
export const CONNECTIONS = 6;

/** Processes items in order, as many at a time as there are connections. Throws the first error. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const workOnNext = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, workOnNext));
}
