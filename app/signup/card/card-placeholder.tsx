import type { MouseEvent } from "react";
import { Button } from "../../ui/controls/button";
import { PayButton } from "./pay-button";

/** Reserves the height of the provider's fields until they have loaded. Narrow screens break their terms into more lines. */
export const CARD_FIELDS = "min-h-72 sm:min-h-56";
export const LOADING = "animate-pulse rounded-md bg-sunken motion-reduce:animate-none";

export function CardPlaceholder({ onTryAgain }: { onTryAgain?: (() => void) | undefined }) {
  function tryAgain({ currentTarget: button }: MouseEvent<HTMLElement>) {
    // The button had the focus, which would be lost when it is removed.
    button.closest("section")?.focus({ preventScroll: true });
    onTryAgain?.();
  }
  return (
    <div className="mt-6">
      <div
        className={
          onTryAgain ? `${CARD_FIELDS} grid place-items-center rounded-md bg-sunken` : `${CARD_FIELDS} ${LOADING}`
        }
      >
        {onTryAgain && (
          <Button variant="secondary" onClick={tryAgain}>
            Try again
          </Button>
        )}
      </div>
      <PayButton disabled />
    </div>
  );
}

/** In the server's page: the same space, empty, because a button there would do nothing. Without scripts there is no space. */
export function CardSpace() {
  return (
    <div className="needs-script mt-6">
      <div className={`${CARD_FIELDS} ${LOADING}`} />
      <div className="h-[6.9375rem] min-[32rem]:h-[4.875rem]" />
    </div>
  );
}
