import type { FormEvent } from "react";

/** Keeps the caret between the same characters that match `keep`, for example digits. */
export function formatTyped(
  typed: { value: string; caret: number },
  format: (value: string) => string,
  keep: RegExp,
): { value: string; caret: number } {
  const value = format(typed.value);
  if (typed.caret >= typed.value.length) return { value, caret: value.length };
  let before = [...typed.value.slice(0, typed.caret)].filter((character) => keep.test(character)).length;
  let caret = 0;
  while (caret < value.length && before > 0) {
    if (keep.test(value.charAt(caret))) before -= 1;
    caret += 1;
  }
  return { value, caret };
}

export function formatOnInput(format: (value: string) => string, keep: RegExp) {
  return (event: FormEvent<HTMLInputElement>) => {
    const { currentTarget: input, nativeEvent } = event;
    if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return;
    const caret = input.selectionStart ?? input.value.length;
    const deletes = nativeEvent instanceof InputEvent && nativeEvent.inputType.startsWith("delete");
    const formatted = formatTyped({ value: input.value, caret }, format, keep);
    // Otherwise the caret would jump back over a separator that was just deleted.
    const next = deletes && formatted.caret > caret ? { ...formatted, caret } : formatted;
    if (next.value === input.value) return;
    input.value = next.value;
    input.setSelectionRange(next.caret, next.caret);
  };
}
