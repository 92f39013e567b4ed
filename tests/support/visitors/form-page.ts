import { JSDOM } from "jsdom";
import type { Answer } from "./site-visitor";

/** The sign-up's form as a visitor without a script reads it. */
export type FormPage = {
  document: Document;
  /** Below a field. */
  messages(name: string): string[];
  hint(name: string): string;
  value(name: string): string | undefined;
  /** The links of the list of problems above the form. */
  summary(): string[];
  words(selector: string): string;
};

export function openForm({ body }: Pick<Answer, "body">): FormPage {
  const { document } = new JSDOM(body).window;
  const each = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").replace(/\s+/g, " ").trim());
  return {
    document,
    messages: (name) => each(`#signup-${name}-error li`),
    hint: (name) => each(`#signup-${name}-hint`).join(" "),
    value: (name) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
    summary: () => each("[aria-labelledby=error-summary] a"),
    words: (selector) => each(selector).join(" "),
  };
}
