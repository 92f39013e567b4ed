import Negotiator from "negotiator";
import { htmlToMarkdown } from "../seo/markdown/html-to-markdown.server";
import { markdownPath, pageOfMarkdown } from "../seo/markdown-path";
import type { RenderPage } from "./context.server";
import { isHtml } from "./response/is-html.server";

/** Several times longer than any browser's Accept header. */
const MAX_ACCEPT_LENGTH = 1000;

/** Renders public pages as Markdown: under their path with `.md`, or by content negotiation (RFC 9110, section 12.5.1). */
export function withMarkdown(render: RenderPage): RenderPage {
  return async (request, context) => {
    const { route, url } = context;
    if (route?.hydrates) return render(request, context);
    const wanted = prefersMarkdown(request, url.pathname);
    const page = await render(wanted ? pageRequest(request, route?.pagePath ?? url.pathname) : request, context);
    if (!isHtml(page)) return page;
    const response = wanted ? await toMarkdown(page) : page;
    if (!wanted && page.status === 200) {
      page.headers.append("Link", `<${markdownPath(url.pathname)}>; rel="alternate"; type="text/markdown"`);
      page.headers.append("Link", '</llms.txt>; rel="describedby"');
    }
    response.headers.append("Vary", "Accept");
    return response;
  };
}

/** A GET even for a HEAD request, because the Markdown is made from the page's body. */
function pageRequest({ url, headers, signal }: Request, path: string): Request {
  return new Request(new URL(path, url), { headers, signal });
}

export function prefersMarkdown(request: Request, pathname: string): boolean {
  if (pageOfMarkdown(pathname) !== undefined) return true;
  const accept = request.headers.get("Accept");
  // A wildcard means HTML.
  if (accept === null || accept.length > MAX_ACCEPT_LENGTH || !accept.includes("markdown")) return false;
  return new Negotiator({ headers: { accept } }).mediaType(["text/html", "text/markdown"]) === "text/markdown";
}

async function toMarkdown(page: Response): Promise<Response> {
  const { markdown, canonical } = await htmlToMarkdown(page);
  const headers = new Headers(page.headers);
  headers.set("Content-Type", "text/markdown; charset=utf-8");
  if (canonical) headers.set("Link", `<${canonical}>; rel="canonical"`);
  return new Response(markdown, { status: page.status, headers });
}
