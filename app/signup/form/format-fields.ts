import type { FocusEvent, FormEvent } from "react";
import { normalizeEmail } from "../../contract/fields/form-fields";
import { formatPhone } from "../../contract/fields/phone";

/** Formats while the visitor types: drops spaces and capital letters. The caret stays after the same character. */
export function formatEmail({ currentTarget: input, nativeEvent }: FormEvent<HTMLInputElement>): void {
  if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return;
  const email = normalizeEmail(input.value);
  if (email === input.value) return;
  const caret = normalizeEmail(input.value.slice(0, input.selectionStart ?? undefined)).length;
  input.value = email;
  input.setSelectionRange(caret, caret);
}

/** Formats only when the visitor leaves the field, so that nothing moves while typing and undo keeps working. */
export function formatPhoneOnBlur({ currentTarget: input }: FocusEvent<HTMLInputElement>): void {
  const shown = formatPhone(input.value);
  if (shown !== input.value) input.value = shown;
}
