export type Random = ReturnType<typeof randomOf>;

/** Random numbers that depend only on the seed and a name, whatever else draws numbers. */
export function randomOf(seed: number, name: string) {
  let state = seed | 0;
  for (let at = 0; at < name.length; at += 1)
    state = Math.imul(state ^ name.charCodeAt(at), 0x9e3779b1) ^ (state >>> 15);
  /** From 0 up to 1, by mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability: number) => next() < probability,
    between: (from: number, to: number) => from + next() * (to - from),
    oneOf: <T extends NonNullable<unknown>>(values: readonly [T, ...T[]]): T =>
      values[Math.floor(next() * values.length)] ?? values[0],
  };
}
