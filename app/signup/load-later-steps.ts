/** Not part of the form's page: loaded while the visitor types. */
export const loadLaterSteps = () => import("./later-steps");

/** Ignores a failure: the step itself is loaded again, and reports it. */
export function prefetchLaterSteps(): void {
  Promise.all([loadLaterSteps(), import("./card/card-form")]).catch(() => undefined);
}
