/** Loads the card step's own code, once; the provider's script is not part of it. */
export const loadCardForm = () => import("./card-form");

/** Has the code of the next step there before it is asked for. Without it that step loads it, or says what failed. */
export function prefetchCardForm(): void {
  loadCardForm().catch(() => undefined);
}
