import Negotiator from "negotiator";
import { pageOfMarkdown } from "../../discovery/markdown-path";
import { markdownOf } from "./html-to-markdown.server";

type Respond<Context> = (request: Request, context: Context) => Promise<Response>;

/**
 * Gives every public page a second form: Markdown, made of the page itself. It stands at the page's address with `.md`
 * (`/index.md` for the home page) and is the answer to whoever prefers `text/markdown` (RFC 9110, section 12.5.1).
 * @param respond answers with pages
 * @param isPublic whether a path may be asked for in Markdown
 */
export function withMarkdown<Context>(
  respond: Respond<Context>,
  isPublic: (path: string) => boolean,
): Respond<Context> {
  return async (request, context) => {
    const url = new URL(request.url);
    const path = pageOfMarkdown(url.pathname);
    if (!isPublic(path ?? url.pathname)) return respond(request, context);
    if (path !== undefined) return inMarkdown(await respond(wholePage(request, path), context));

    const wanted = prefersMarkdown(request);
    const page = await respond(wanted ? wholePage(request, url.pathname) : request, context);
    if (!isHtml(page)) return page;
    const answer = wanted ? await inMarkdown(page) : page;
    answer.headers.append("Vary", "Accept");
    return answer;
  };
}

/** Asks for a page with its body, also for the sake of a HEAD: the Markdown and its headers are made of it. */
function wholePage({ url, headers, signal }: Request, path: string): Request {
  return new Request(new URL(path, url), { headers, signal });
}

/** Whether a request asks for Markdown rather than HTML. */
export function prefersMarkdown(request: Request): boolean {
  const accept = request.headers.get("Accept");
  // Nobody gets Markdown who does not name it: wildcards mean HTML.
  if (!accept?.includes("markdown")) return false;
  return new Negotiator({ headers: { accept } }).mediaType(["text/html", "text/markdown"]) === "text/markdown";
}

export function isHtml(page: Response): boolean {
  return page.headers.get("Content-Type")?.startsWith("text/html") ?? false;
}

async function inMarkdown(page: Response): Promise<Response> {
  if (!isHtml(page)) return page;
  const { markdown, canonical } = await markdownOf(page);
  const headers = new Headers(page.headers);
  headers.set("Content-Type", "text/markdown; charset=utf-8");
  if (canonical) headers.set("Link", `<${canonical}>; rel="canonical"`);
  return new Response(markdown, { status: page.status, headers });
}
