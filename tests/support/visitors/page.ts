import { JSDOM } from "jsdom";
import type { Answer, SiteVisitor } from "./site-visitor";

/** A page without scripts. */
export type Page = Answer & {
  document: Document;
  /** Text of `<main>` or of a selected element in it, with collapsed whitespace. */
  words: (selector?: string) => string;
  /** Text of each selected element, in order. */
  wordsOfEach: (selector: string) => string[];
};

function readPage(answer: Answer): Page {
  const { document } = new JSDOM(answer.body).window;
  const wordsOfEach = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").replace(/\s+/g, " ").trim());
  return { ...answer, document, wordsOfEach, words: (selector = "main") => wordsOfEach(selector).join(" ") };
}

/** The sign-up's form: messages and hint are below a field; the summary is the list of problems above the form. */
export function readForm(answer: Answer) {
  const page = readPage(answer);
  return {
    ...page,
    messages: (name: string) => page.wordsOfEach(`#signup-${name}-error li`),
    hint: (name: string) => page.words(`#signup-${name}-hint`),
    value: (name: string) => page.document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
    summary: () => page.wordsOfEach("[aria-labelledby=error-summary] a"),
  };
}

/** Opens a page as a browser does. */
export async function openPage(
  visitor: { get(path: string, headers?: Record<string, string>): Promise<Answer> },
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  return readPage(await visitor.get(path, { Accept: "text/html", ...headers }));
}

/** Opens and caches pages. Each is parsed once, so tests must not change its document. */
export function pageReader(visitor: SiteVisitor): (path: string) => Promise<Page> {
  const pages = new Map<string, Promise<Page>>();
  return (path) => {
    const page = pages.get(path) ?? openPage(visitor, path);
    pages.set(path, page);
    return page;
  };
}
