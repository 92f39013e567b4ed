import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Handler } from "../middleware.server";
import { prefersMarkdown } from "../pages/markdown.server";
import { type Refusal, refusalRenderer, withRefusalHeaders } from "./refusals.server";
import type { RouteMatcher } from "./route-matcher.server";

interface KeptPage {
  headers: Headers;
  /** The page around its request id. */
  parts: string[];
}

/** What the page is rendered with in place of a request id. */
const REQUEST_ID = "request-id-of-this-answer";

/**
 * Renders the page of each refusal once, because to be refused is what costs a sender nothing. There are as many pages as
 * refusals, twice: in HTML and in Markdown.
 */
export function keptRefusals(matchRoute: RouteMatcher) {
  const render = refusalRenderer(matchRoute);
  const kept = new Map<string, KeptPage>();

  return async (request: Request, context: AppLoadContext, refusal: Refusal, next: Handler<AppLoadContext>) => {
    const { status, title } = refusal;
    const format = prefersMarkdown(request, context.url.pathname) ? "text/markdown" : "text/html";
    const key = `${new Date().getUTCFullYear()} ${format} ${status} ${title}`;
    let page = kept.get(key);
    if (!page) {
      const response = await render({ ...context, requestId: REQUEST_ID }, refusal, next, format);
      if (response.status !== status) return response;
      page = { headers: response.headers, parts: (await response.text()).split(REQUEST_ID) };
      kept.set(key, page);
    }
    const body = request.method === "HEAD" ? null : page.parts.join(context.requestId);
    return withRefusalHeaders(refusal, new Response(body, { status, headers: page.headers }));
  };
}
