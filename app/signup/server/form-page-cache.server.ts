import type { AppLoadContext } from "@remix-run/cloudflare";
import { PAID_PLANS, settingOf } from "../../contract/plans";
import { subscriptionRequest } from "../../contract/subscription-request";
import { memoize } from "../../pipeline/cache/memoize.server";
import { type PageTemplate, pageTemplate } from "../../pipeline/cache/page-template.server";
import type { Middleware } from "../../pipeline/middleware.server";
import { isPageView, NO_FUNNEL } from "../../pipeline/plan-views.server";
import { randomToken } from "../../pipeline/random-token.server";

type Values = "cspNonce" | "formNonce" | "requestId" | "packageId";

/** Needs no escaping in a path, in HTML or in a script. */
const PLAIN_ID = /^[\w-]{1,100}$/;

/**
 * Renders the empty form once per kind of plan and fills in the nonces, request ID and package id for each visitor, so that
 * the page costs no more than a public one. Requests with a session or a query, and posts, are rendered by Remix.
 */
export function formPageCache(): Middleware<AppLoadContext> {
  const keep = memoize<PageTemplate<Values>>();

  const fromCache: Middleware<AppLoadContext> = async (request, context, next) => {
    const { configuration, execution, funnel, log, nonce, nonces, requestId, route } = context;
    const id = route?.params.id;
    const { kind, example } = kindOf(id, context);
    const make = async () => {
      const markers = {
        cspNonce: randomToken(),
        formNonce: randomToken(),
        requestId: randomToken(),
        packageId: example ?? randomToken(),
      };
      const path = id === undefined ? "/subscription" : `/subscription/${markers.packageId}`;
      const url = new URL(path, configuration.SITE_URL);
      const page = await next(new Request(url, { headers: { Accept: "text/html" } }), {
        ...context,
        url,
        route: route && { ...route, params: id === undefined ? {} : { id: markers.packageId }, pagePath: path },
        nonce: markers.cspNonce,
        requestId: markers.requestId,
        funnel: NO_FUNNEL,
        nonces: { ...nonces, issue: async () => markers.formNonce },
      });
      log.info("page_rendered", { route: route?.pattern, format: "text/html", status: page.status });
      return page.status === 200 && !page.headers.has("Set-Cookie") ? pageTemplate(page, markers) : undefined;
    };
    // The footer's year changes within an isolate's life, and locally the site's host.
    const template = await keep(`${new Date().getUTCFullYear()} ${configuration.SITE_URL} ${kind}`, make, execution);
    if (!template) return next(request, context);
    const page = template.fill({
      cspNonce: nonce,
      formNonce: await nonces.issue(),
      requestId,
      packageId: id ?? "",
    });
    if (isPageView(request)) funnel.count("form_opened", id);
    return request.method === "HEAD" ? new Response(null, page) : page;
  };

  return async (request, context, next) => {
    const answer = isPlainRequest(request, context) ? fromCache : next;
    const page = await answer(request, context, next);
    const probe = request.method !== "POST" && context.route?.takesForms && context.sessions.probe(request);
    if (probe && page.status === 200 && !page.headers.has("Set-Cookie")) page.headers.set("Set-Cookie", probe);
    return page;
  };
}

/** True if the response depends only on the path's package id. */
function isPlainRequest(request: Request, { url, route, sessions }: AppLoadContext): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (!route?.takesForms || route.isData || url.search !== "" || sessions.isIn(request)) return false;
  const { id } = route.params;
  const path = id === undefined ? "/subscription" : `/subscription/${id}`;
  return url.pathname === path && (id === undefined || PLAIN_ID.test(id));
}

/**
 * The plan that the page depends on, if any. `example` is the package id to render it with, because a plan's page also
 * contains the ids of all plans.
 */
function kindOf(id: string | undefined, { configuration }: AppLoadContext): { kind: string; example?: string } {
  if (id === undefined) return { kind: "no plan" };
  const known: string[] = PAID_PLANS.map((plan) => configuration[settingOf(plan)]);
  if (known.includes(id)) return { kind: id, example: id };
  const plan = known.find((plan) => plan === id.toLowerCase());
  if (plan) return { kind: `${plan} in another case`, example: id };
  const isValid = subscriptionRequest.shape.package_id.safeParse(id).success;
  return isValid ? { kind: "custom plan", example: crypto.randomUUID() } : { kind: "invalid plan" };
}
