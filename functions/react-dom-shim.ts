/**
 * Stands in for `react-dom` in the Worker, which renders with `react-dom/server`: of the package for browsers, 130 KB,
 * the router only names `flushSync`, and only for when a browser navigates. wrangler.toml, [alias].
 */
export function flushSync(): never {
  throw new Error("There is no DOM in a Worker.");
}
