import type { AppLoadContext } from "@remix-run/cloudflare";
import { memoize } from "../cache/memoize.server";
import { type PageTemplate, pageTemplate } from "../cache/page-template.server";
import { prefersMarkdown } from "../markdown/markdown.server";
import type { Handler } from "../middleware.server";
import { randomToken } from "../random-token.server";
import type { RouteMatcher } from "../route-matcher.server";
import { type Refusal, refusalRenderer } from "./refusals.server";

/**
 * Renders each refusal's page once per format (HTML and Markdown), because refused requests cost their sender nothing.
 */
export function refusalCache(matchRoute: RouteMatcher) {
  const render = refusalRenderer(matchRoute);
  const keep = memoize<PageTemplate<"requestId">>();

  return (
    request: Request,
    context: AppLoadContext,
    refusal: Refusal,
    next: Handler<AppLoadContext>,
  ): Response | Promise<Response> => {
    const { status, title, headers } = refusal;
    const { configuration, url, requestId, execution } = context;
    const format = prefersMarkdown(request, url.pathname) ? "text/markdown" : "text/html";
    const make = async () => {
      const markers = { requestId: randomToken() };
      const page = await render({ ...context, ...markers }, refusal, next, format);
      return page.status === status ? pageTemplate(page, markers) : undefined;
    };
    const key = `${new Date().getUTCFullYear()} ${configuration.SITE_URL} ${format} ${status} ${title} ${headers?.Allow}`;
    const answer = (page: Response) => (request.method === "HEAD" ? new Response(null, page) : page);
    const template = keep(key, make, execution);
    if (!(template instanceof Promise)) return answer(template.fill({ requestId }));
    return template.then(async (made) =>
      answer(made ? made.fill({ requestId }) : await render(context, refusal, next, format)),
    );
  };
}
