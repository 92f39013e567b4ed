import { type RefusalHandler, refusalRenderer } from "../guard/refusals.server";
import { prefersMarkdown } from "../markdown/markdown.server";
import { randomToken } from "../random-token.server";
import type { RouteMatcher } from "../route-matcher.server";
import { memoize } from "./memoize.server";
import { type PageTemplate, pageTemplate } from "./page-template.server";

/**
 * Renders each refusal's page once per format (HTML and Markdown), because refused requests cost their sender nothing.
 */
export function refusalCache(matchRoute: RouteMatcher): RefusalHandler {
  const render = refusalRenderer(matchRoute);
  const keep = memoize<PageTemplate<"requestId">>();

  return (request, context, refusal, next) => {
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
