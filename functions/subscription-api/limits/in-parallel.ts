/** As many connections as Cloudflare opens for one invocation; others would wait while their time runs. */
export const CONNECTIONS = 6;

/** In order, some at a time, until `goesOn` says no. Returns what was left; throws what the work throws. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  goesOn: () => boolean = () => true,
): Promise<T[]> {
  const left = [...items];
  const lane = async () => {
    while (goesOn()) {
      const item = left.shift();
      if (item === undefined) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return left;
}
