/** Cloudflare's limit of open connections per invocation; further calls would wait while their timeout runs. */
export const CONNECTIONS = 6;

/** Works on items in order, several at a time, while `mayContinue()`. Returns the remaining items; throws the work's errors. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  mayContinue: () => boolean = () => true,
): Promise<T[]> {
  const left = [...items];
  const lane = async () => {
    while (mayContinue()) {
      const item = left.shift();
      if (item === undefined) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return left;
}
