import { type FormEvent, useEffect, useRef, useState } from "react";
import { FIELD_NAMES } from "../form-schema";
import type { FieldErrors } from "./field-errors";

/** The browser did not send the form. */
interface Refusal {
  attempt: number;
  hasMovedFocus: boolean;
}

/**
 * The browser's refusal to send the form, until the visitor types.
 * @param isPlanInvalid then the summary gets the focus, because the package ID is hidden
 */
export function useRefusal(isPlanInvalid: boolean) {
  const [refusal, setRefusal] = useState<Refusal>();
  const summaryRef = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!refusal || !isPlanInvalid) return;
    summaryRef.current?.focus({ preventScroll: true });
    // Shows the heading even if the summary is taller than the window.
    summaryRef.current?.scrollIntoView({ behavior: "instant" });
  }, [refusal, isPlanInvalid]);
  return {
    refusal,
    summaryRef,
    /** @param submit if the form is invalid, cancels the event and may move the focus */
    onSubmit(event: FormEvent<HTMLFormElement>, submit: () => void) {
      const focused = document.activeElement;
      submit();
      const hasMovedFocus = document.activeElement !== focused;
      setRefusal(event.defaultPrevented ? { attempt: (refusal?.attempt ?? 0) + 1, hasMovedFocus } : undefined);
    },
    onInput: () => setRefusal(undefined),
  };
}

/** What a screen reader says after a refused submit. Its text stays as it was then: a changed one would be said again. */
export function RefusedSubmit({
  errors,
  hasMovedFocus,
}: {
  errors: Readonly<FieldErrors>;
  /** The focus then goes to a message, which the screen reader says already. */
  hasMovedFocus: boolean;
}) {
  const [text] = useState(() => {
    const invalid = FIELD_NAMES.flatMap((name) => errors[name]?.slice(0, 1) ?? []);
    const count = invalid.length === 1 ? "1 field needs attention." : `${invalid.length} fields need attention.`;
    return hasMovedFocus ? count : `${count} ${invalid[0]}`;
  });
  return <p className="sr-only">{text}</p>;
}
