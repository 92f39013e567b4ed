import type { RefObject } from "react";

export interface FieldError {
  fieldId: string;
  message: string;
}

/** Links to the invalid fields; focused after a full page load. */
export function ErrorSummary({ errors, sectionRef }: { errors: FieldError[]; sectionRef?: RefObject<HTMLElement> }) {
  return (
    <section
      ref={sectionRef}
      className="notice notice-destructive mb-6"
      aria-labelledby="error-summary"
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: a visitor needs to learn about the errors first after a page load
      autoFocus
    >
      <h2 id="error-summary" className="font-bold">
        There is a problem
      </h2>
      <ul className="mt-1 list-disc pl-5">
        {errors.map(({ fieldId, message }) => (
          <li key={fieldId + message}>
            <a className="underline" href={`#${fieldId}`}>
              {message}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
