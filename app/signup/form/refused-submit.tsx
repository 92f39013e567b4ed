import { type FormEvent, useEffect, useRef, useState } from "react";
import { focusLater } from "../../ui/controls/lent-focus";
import { useAnnouncement } from "../announcer";
import { FIELD_NAMES } from "../form-schema";
import type { FieldErrors } from "./field-errors";

interface Refusal {
  attempt: number;
  hasMovedFocus: boolean;
}

/** Lasts until the visitor types. For an invalid plan, whose field is hidden, the summary gets the focus. */
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
      const field = document.activeElement;
      const hasMovedFocus = field !== focused;
      if (hasMovedFocus) focusLater(() => field, focused);
      setRefusal(event.defaultPrevented ? { attempt: (refusal?.attempt ?? 0) + 1, hasMovedFocus } : undefined);
    },
    onInput: () => setRefusal(undefined),
  };
}

/** Said by a screen reader after a refused submit. The text stays as it was: a changed one would be said again. */
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
  useAnnouncement(text);
  return null;
}
