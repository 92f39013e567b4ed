import { reloadOnce } from "./reload-once";

/** Loaded while the visitor types, not with the form's page. */
export const loadLaterSteps = () => import("./later-steps").catch(reloadOnce);

// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it
let prefetched: Promise<unknown> | undefined;

/** Tries once and ignores failures; the step itself tries again and reloads the page if necessary. */
export function prefetchLaterSteps(): void {
  prefetched ??= Promise.all([import("./later-steps"), import("../card/card-form")]).catch(() => undefined);
}
