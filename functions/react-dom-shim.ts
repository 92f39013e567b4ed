/** Replaces `react-dom` in the Worker (wrangler.toml, [alias]), where React Router imports but never calls flushSync. Saves 43 KB. */
export function flushSync(): never {
  throw new Error("There is no DOM in a Worker.");
}
