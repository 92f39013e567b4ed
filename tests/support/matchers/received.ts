import { JSDOM } from "jsdom";
import * as z from "zod";

/* Reads answers for the matchers and describes them in their messages. */

export type ShownNotice = { title: string; text: string };
export type Received = { status: number; headers: Headers; text: string; notices: ShownNotice[] };

const answer = z.object({
  status: z.number(),
  headers: z.custom<Headers>((headers) => headers !== null && typeof headers === "object" && "get" in headers),
});
/** A visitor's answer, whose body has already been read. */
const withText = z.object({ body: z.string() }).or(z.object({ text: z.string() }));
/** A page's data, as an action returns it. */
const notice = z.object({ title: z.string(), message: z.string().default("") });
const withReply = z.object({ reply: z.object({ notice: notice.optional() }).nullish() });
const parent = z.custom<ParentNode>((node) => node !== null && typeof node === "object" && "querySelectorAll" in node);

const texts = new WeakMap<Response, string>();

/** Reads a copy of a response, so that matchers can name its title, problem or first line. Returns the response. */
export async function rememberText(response: Response): Promise<Response> {
  texts.set(response, await response.clone().text());
  return response;
}

/** @throws if the value is not an answer; the message shows its beginning */
export function receivedOf(value: unknown): Received {
  const { data } = answer.safeParse(value);
  if (!data) throw new TypeError(`Expected an answer with status and headers, but got ${shortened(show(value))}`);
  const read = withText.safeParse(value).data;
  const text = value instanceof Response ? (texts.get(value) ?? "") : read && ("body" in read ? read.body : read.text);
  return { ...data, text: text ?? "", notices: noticesIn(value) };
}

/** The notices in a page's text, in a document or element, or in an action's reply. */
export function noticesIn(value: unknown): ShownNotice[] {
  const reply = withReply.safeParse(value).data?.reply?.notice;
  if (reply) return [{ title: reply.title, text: reply.message }];
  const node = parent.safeParse(value).data ?? pageOf(value);
  return [...(node?.querySelectorAll(".notice") ?? [])].map((box) => {
    const title = wordsOf(box.querySelector("p, h2"));
    return { title, text: wordsOf(box).slice(title.length).trim() };
  });
}

function pageOf(value: unknown): ParentNode | undefined {
  const read = withText.safeParse(value).data;
  const text = value instanceof Response ? texts.get(value) : read && ("body" in read ? read.body : read.text);
  return text?.includes("<html") ? new JSDOM(text).window.document : undefined;
}

const wordsOf = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const show = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** One line, such as `303 to /subscription` or `422 page "Error: Sign up", notice "Submission Failed": Invalid …`. */
export function inWords({ status, headers, text, notices }: Received): string {
  const location = headers.get("Location");
  return [
    location === null ? String(status) : `${status} to ${location}`,
    textInWords(text),
    ...notices.map((notice) => `notice "${notice.title}": ${shortened(notice.text)}`),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

const problem = z.object({
  title: z.string(),
  type: z.string().default("about:blank"),
  detail: z.string().default(""),
});

function textInWords(text: string): string {
  if (text.includes("<html")) return `page "${wordsOf(new JSDOM(text).window.document.querySelector("title, h1"))}"`;
  const { data } = problem.safeParse(text.startsWith("{") ? JSON.parse(text) : undefined);
  if (!data) return shortened(text.trim().split("\n")[0] ?? "");
  const type = data.type === "about:blank" ? "" : ` of the type ${data.type}`;
  return `problem "${data.title}"${type}${data.detail && `: ${data.detail}`}`;
}

/** The problem of an answer (RFC 9457), if it is one. */
export function problemOf({ headers, text }: Received): z.output<typeof problem> | undefined {
  const isProblem = headers.get("Content-Type")?.startsWith("application/problem+json") && text !== "";
  return isProblem ? problem.safeParse(JSON.parse(text)).data : undefined;
}
