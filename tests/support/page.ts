import { JSDOM } from "jsdom";
import type { RunningWorker } from "./workers";

/** A page as a visitor without a script gets it. */
export type Page = {
  status: number;
  headers: Headers;
  html: string;
  document: Document;
  /** The words of the main part, or of what a selector finds in it, white space collapsed. */
  text: (selector?: string) => string;
  /** The words of each element that a selector finds, in order. */
  texts: (selector: string) => string[];
};

export async function getPage(site: RunningWorker, path: string, headers: Record<string, string> = {}): Promise<Page> {
  const response = await fetch(site.url + path, { headers: { accept: "text/html", ...headers }, redirect: "manual" });
  const html = await response.text();
  const { document } = new JSDOM(html).window;
  const texts = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").replace(/\s+/g, " ").trim());
  return {
    status: response.status,
    headers: response.headers,
    html,
    document,
    texts,
    text: (selector = "main") => texts(selector).join(" "),
  };
}
