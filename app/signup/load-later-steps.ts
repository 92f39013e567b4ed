/* The steps after the form: not part of the form's page, loaded while the visitor types. */

export const loadCardStep = async () => ({ default: (await import("./card/card-step")).CardStep });

export const loadWaitingStep = async () => ({ default: (await import("./card/waiting-step")).WaitingStep });

export const loadSuccessStep = async () => ({ default: (await import("./done/success-step")).SuccessStep });

/** Ignores a failure: the step itself is loaded again, and reports it. */
export function prefetchCardStep(): void {
  Promise.all([loadCardStep(), import("./card/card-form")]).catch(() => undefined);
}
