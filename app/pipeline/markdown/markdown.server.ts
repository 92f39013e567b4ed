import type { AppLoadContext } from "@remix-run/cloudflare";
import Negotiator from "negotiator";
import { markdownPath, pageOfMarkdown } from "../../seo/markdown-path";
import type { Middleware } from "../middleware.server";
import type { RouteMatcher } from "../route-matcher.server";
import { htmlToMarkdown } from "./html-to-markdown.server";

/** Several times the longest header of a browser. */
const MAX_ACCEPT_LENGTH = 1000;

/** Serves public pages as Markdown: under their path with `.md`, or by content negotiation (RFC 9110, section 12.5.1). */
export function markdownPages(matchRoute: RouteMatcher): Middleware<AppLoadContext> {
  return async (request, context, next) => {
    const { pathname } = context.url;
    const path = pageOfMarkdown(pathname);
    const route = path === undefined ? context.route : matchRoute(path);
    if (route?.hydrates) return next(request, context);
    if (path !== undefined) return toMarkdown(await next(pageRequest(request, path), context));

    const wanted = prefersMarkdown(request, pathname);
    const page = await next(wanted ? pageRequest(request, pathname) : request, context);
    if (!isHtml(page)) return page;
    const response = wanted ? await toMarkdown(page) : page;
    response.headers.append("Vary", "Accept");
    if (!wanted && page.status === 200) {
      response.headers.append("Link", `<${markdownPath(pathname)}>; rel="alternate"; type="text/markdown"`);
      response.headers.append("Link", '</llms.txt>; rel="describedby"');
    }
    return response;
  };
}

/** Also a GET for a HEAD request, because Markdown and headers are made from the body. */
function pageRequest({ url, headers, signal }: Request, path: string): Request {
  return new Request(new URL(path, url), { headers, signal });
}

/** True if the path or Accept asks for Markdown. Ignores an overlong Accept header. */
export function prefersMarkdown(request: Request, pathname: string): boolean {
  if (pageOfMarkdown(pathname) !== undefined) return true;
  const accept = request.headers.get("Accept");
  // A wildcard means HTML.
  if (accept === null || accept.length > MAX_ACCEPT_LENGTH || !accept.includes("markdown")) return false;
  return new Negotiator({ headers: { accept } }).mediaType(["text/html", "text/markdown"]) === "text/markdown";
}

/** Judged by the response's Content-Type. */
export function isHtml(page: Response): boolean {
  return page.headers.get("Content-Type")?.startsWith("text/html") ?? false;
}

async function toMarkdown(page: Response): Promise<Response> {
  if (!isHtml(page)) return page;
  const { markdown, canonical } = await htmlToMarkdown(page);
  const headers = new Headers(page.headers);
  headers.set("Content-Type", "text/markdown; charset=utf-8");
  if (canonical) headers.set("Link", `<${canonical}>; rel="canonical"`);
  return new Response(markdown, { status: page.status, headers });
}
