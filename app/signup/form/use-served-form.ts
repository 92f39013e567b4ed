import { useEffect, useState } from "react";

/**
 * Copies what the visitor has entered in the server's form if React replaces it. React does so instead of hydrating if, for example, an
 * extension has added elements to the page.
 */
export function useServedForm(formId: string): void {
  // Rendering is the last moment before React replaces the page.
  const [served] = useState(() => readServed(formId));
  useEffect(() => {
    const form = formWith(formId);
    if (!form || !served?.form || form === served.form) return;
    const inputs = [...served.form.querySelectorAll("input")];
    for (const input of form.querySelectorAll("input")) {
      const isRadio = input.type === "radio";
      const earlier = inputs.find(({ name, value }) => name === input.name && (!isRadio || value === input.value));
      if (isRadio && earlier?.checked && !input.checked) input.click();
      else if (!isRadio && earlier) input.value = earlier.value;
    }
    scrollTo({ top: served.scrollY, behavior: "instant" });
    document.getElementById(served.focused)?.focus();
  }, [formId, served]);
}

function readServed(formId: string) {
  if (typeof document === "undefined") return undefined;
  return { form: formWith(formId), focused: document.activeElement?.id ?? "", scrollY };
}

function formWith(id: string): HTMLFormElement | undefined {
  const form = document.getElementById(id);
  return form instanceof HTMLFormElement ? form : undefined;
}
