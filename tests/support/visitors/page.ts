import { JSDOM } from "jsdom";
import type { Answer, SiteVisitor } from "./site-visitor";

/** Parses a page without running its scripts. */
export function readPage(answer: Answer) {
  const { document } = new JSDOM(answer.body).window;
  /** The text of each selected element, in order, with collapsed whitespace. */
  const wordsOfEach = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").replace(/\s+/g, " ").trim());
  /** An attribute of each selected element, in order. */
  const each = (selector: string, attribute: string) =>
    [...document.querySelectorAll(selector)].map((element) => element.getAttribute(attribute));
  return {
    ...answer,
    document,
    wordsOfEach,
    each,
    words: (selector = "main") => wordsOfEach(selector).join(" "),
    /** Each selected link, as `Words: /target`. */
    links: (selector: string) =>
      wordsOfEach(selector).map((words, index) => `${words}: ${each(selector, "href")[index]}`),
  };
}

/** Opens and caches pages. Each page is parsed once, so tests must not change its document. */
export function pageReader(visitor: SiteVisitor) {
  const open = async (path: string) => readPage(await visitor.get(path, { Accept: "text/html" }));
  const pages = new Map<string, ReturnType<typeof open>>();
  return (path: string) => {
    const page = pages.get(path) ?? open(path);
    pages.set(path, page);
    return page;
  };
}
