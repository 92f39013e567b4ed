import { useLayoutEffect, useState } from "react";

/** React replaces the server's form if, for example, an extension has changed the page (see also `served-page.ts`). */
export function useKeepTypedAtHydration(formId: string): void {
  // Rendering is the last moment before React replaces the page.
  const [served] = useState(() => readServed(formId));
  // In a layout effect: otherwise a key pressed right after hydration is lost, because nothing has the focus.
  useLayoutEffect(() => {
    const form = formWith(formId);
    if (!form || !served || form === served.form) return;
    for (const input of inputsOf(form)) {
      const isRadio = input.type === "radio";
      const earlier = served.inputs.find(
        ({ name, value }) => name === input.name && (!isRadio || value === input.value),
      );
      if (isRadio && earlier?.checked && !input.checked) input.click();
      else if (!isRadio && earlier) input.value = earlier.value;
    }
    scrollTo({ top: served.scrollY, behavior: "instant" });
    document.getElementById(served.focused)?.focus();
  }, [formId, served]);
}

function readServed(formId: string) {
  const form = typeof document === "undefined" ? undefined : formWith(formId);
  return form && { form, inputs: inputsOf(form), focused: document.activeElement?.id ?? "", scrollY };
}

/** Includes the radio buttons that stand outside the form. */
function inputsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter((element) => element instanceof HTMLInputElement);
}

function formWith(id: string): HTMLFormElement | undefined {
  const form = document.getElementById(id);
  return form instanceof HTMLFormElement ? form : undefined;
}
