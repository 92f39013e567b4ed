import { JSDOM } from "jsdom";

/* Reads answers for the matchers and describes them in their messages. */

const texts = new WeakMap<Response, string>();

/** Reads a copy of a response for the matchers. Returns the response. */
export async function rememberText(response: Response): Promise<Response> {
  texts.set(response, await response.clone().text());
  return response;
}

/** Status, headers and text of a response, or of a visitor's answer, whose body has already been read. */
export function receivedOf(value: unknown): { status: number; headers: Headers; text: string } {
  const { status, headers } = Object(value);
  if (typeof headers?.get !== "function") throw new TypeError(`Expected an answer, but got ${shortened(show(value))}`);
  return { status, headers, text: textOf(value) };
}

function textOf(value: unknown): string {
  if (value instanceof Response) return texts.get(value) ?? "";
  const { text = "", body = text } = Object(value);
  return typeof body === "string" ? body : "";
}

/** The notices in a page's text, in a document or element, or in an action's reply. */
export function noticesIn(value: unknown): { title: string; text: string }[] {
  const { reply, querySelectorAll } = Object(value);
  if (reply?.notice) return [{ title: reply.notice.title, text: reply.notice.message ?? "" }];
  const node: ParentNode = querySelectorAll ? Object(value) : new JSDOM(textOf(value)).window.document;
  return [...node.querySelectorAll(".notice")].map((box) => {
    const title = wordsOf(box.querySelector("p, h2"));
    return { title, text: wordsOf(box).slice(title.length).trim() };
  });
}

const wordsOf = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const show = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** One line, such as `303 to /subscription` or `422 Error: Sign up, notice "Submission Failed": Invalid …`. */
export function inWords(value: unknown): string {
  const { status, headers, text } = receivedOf(value);
  const location = headers.get("Location");
  const title = text.includes("<html") ? wordsOf(new JSDOM(text).window.document.querySelector("title, h1")) : text;
  const notices = noticesIn(value).map((one) => `, notice "${one.title}": ${shortened(one.text)}`);
  return `${status}${location === null ? "" : ` to ${location}`} ${shortened(title)}${notices.join("")}`;
}
