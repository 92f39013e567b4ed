export const loadCardForm = () => import("./card-form");

/** Ignores a failure: the card step loads the code again and reports it. */
export function prefetchCardForm(): void {
  loadCardForm().catch(() => undefined);
}
