import { type RefObject, useLayoutEffect, useRef } from "react";

const KEEPER_ID = "focus-keeper";

/** Holds a waiting control's focus: Chromium's screen readers are silent about one that comes from a removed element. */
export function FocusKeeper() {
  return <span id={KEEPER_ID} tabIndex={-1} className="outline-none" />;
}

const keeper = () => document.getElementById(KEEPER_ID);

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** True if no element of the page has the focus that the visitor could have moved there. */
const isFocusFree = () => document.activeElement === document.body || document.activeElement?.id === KEEPER_ID;

/** Enough time for a screen reader to notice what else has changed: without it, Orca skips a heading or says an error twice. */
const KEPT_MS = 250;

/** Focuses an element later, unless the visitor has moved the focus, which waits at `from`. @returns cancels it */
export function focusLater(target: () => Element | null, from: Element | null = keeper()): () => void {
  focus(from);
  const timer = setTimeout(() => (isFocusFree() || document.activeElement === from) && focus(target()), KEPT_MS);
  return () => clearTimeout(timer);
}

/** Lends a busy control's focus to the keeper. It comes back afterward, unless the visitor has moved it. */
export function useLentFocus<Control extends HTMLElement>(busy: boolean): RefObject<Control> {
  const control = useRef<Control>(null);
  const hadFocus = useRef(false);
  // A layout effect, because a disabled button loses the focus with the next paint.
  useLayoutEffect(() => {
    if (busy) {
      hadFocus.current = document.activeElement === control.current;
      if (hadFocus.current) focus(keeper());
    } else if (hadFocus.current && isFocusFree()) {
      focus(control.current);
    }
  }, [busy]);
  return control;
}
