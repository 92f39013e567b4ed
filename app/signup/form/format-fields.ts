import type { CompositionEvent, FocusEvent, FormEvent } from "react";
import { cleanTypedEmail } from "../../contract/fields/email";
import { type FormField, formFields } from "../../contract/fields/form-fields";

const FIELDS: Partial<Record<string, FormField>> = formFields;

/** The caret stays after the same character, and an input method is left alone until its text is complete. */
export function formatWhileTyping({ target, nativeEvent }: FormEvent | CompositionEvent): void {
  if (!(target instanceof HTMLInputElement) || target.name !== "email") return;
  if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return;
  const caret = cleanTypedEmail(target.value.slice(0, target.selectionStart ?? undefined)).length;
  if (!show(target, cleanTypedEmail(target.value))) return;
  // Safari would focus a field that it has filled in.
  if (target === document.activeElement) target.setSelectionRange(caret, caret);
}

/** Only when the visitor leaves a field, so that nothing moves while typing and undo keeps working. */
export function formatOnLeaving({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement) formatField(target);
}

/** True if Conform submits the form only to validate a field. */
export function isValidation({ nativeEvent }: Pick<FormEvent, "nativeEvent">): boolean {
  return nativeEvent instanceof SubmitEvent && nativeEvent.submitter?.getAttribute("name") === "__intent__";
}

/** Formats the fields that were not left, such as those that the browser filled in: the form shows what it sends. */
export function formatBeforeSending(form: HTMLFormElement): void {
  for (const field of form.elements) if (field instanceof HTMLInputElement) formatField(field);
}

/** For values entered before hydration. Each has its own task, because a browser may have filled in the whole form. */
export function formatEarlierInput(): void {
  document.querySelectorAll("input").forEach((input) => {
    if (input.value === input.defaultValue) return;
    setTimeout(() => {
      input.dispatchEvent(new Event("input", { bubbles: true }));
      if (input !== document.activeElement) input.dispatchEvent(new window.FocusEvent("focusout", { bubbles: true }));
    });
  });
}

function formatField(input: HTMLInputElement): void {
  show(input, FIELDS[input.name]?.format?.(input.value) ?? input.value);
}

/** False if the field already shows the value. Setting it again would lose the caret and the undo history. */
function show(input: HTMLInputElement, value: string): boolean {
  if (input.value === value) return false;
  input.value = value;
  return true;
}
