import { reloadOnce } from "./reload-once";

/** Not part of the form's page: loaded while the visitor types. */
export const loadLaterSteps = () => import("./later-steps").catch(reloadOnce);

// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it
let prefetched: Promise<unknown> | undefined;

/** Asks once and ignores a failure: the step itself asks again, and only then is the page loaded again. */
export function prefetchLaterSteps(): void {
  prefetched ??= Promise.all([import("./later-steps"), import("./card/card-form")]).catch(() => undefined);
}
