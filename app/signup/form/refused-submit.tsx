import { useState } from "react";
import { FIELD_NAMES } from "../form-schema";

/** What a screen reader says after a refused submit. Its text stays as it was then: a changed one would be said again. */
export function RefusedSubmit({
  errors,
  hasMovedFocus,
}: {
  errors: Readonly<Record<string, string[] | undefined>>;
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
