/** `Object.fromEntries` that keeps the names of the keys. */
export function recordOf<Key extends string, Value>(entries: readonly (readonly [Key, Value])[]) {
  return Object.fromEntries(entries) as Record<Key, Value>;
}
