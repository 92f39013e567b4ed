import type { ServerBuild } from "@remix-run/cloudflare";
import { formNonce, pageCache } from "./cache/page-cache.server";
import { refusalCache } from "./cache/refusal-cache.server";
import type { ExecutionContext, RequestContext } from "./context.server";
import { cspReports } from "./csp-reports.server";
import { requestGuard } from "./guard/request-guard.server";
import { createLog, logRequest } from "./log.server";
import { markdownPages } from "./markdown/markdown.server";
import { compose } from "./middleware.server";
import { countPlanViews } from "./plan-views.server";
import { randomToken } from "./random-token.server";
import { remixHandler } from "./remix-handler.server";
import { redirectToCanonicalUrl } from "./response/canonical-url.server";
import { catchErrors, errorPage } from "./response/fallbacks.server";
import { finalize } from "./response/finalize.server";
import { requireTls } from "./response/require-tls.server";
import { type RouteMatcher, routeMatcher } from "./route-matcher.server";
import type { Configuration } from "./settings/configuration.server";
import { requireSettings, type Services } from "./settings/require-settings.server";

export interface SiteOptions {
  build: ServerBuild;
  services(configuration: Configuration): Services;
}

/** Requests pass the stages from top to bottom, responses from bottom to top. */
export function createSite({ build, services }: SiteOptions) {
  const matchRoute = routeMatcher(build);
  const answer = compose(
    [
      requireTls,
      countPlanViews,
      formNonce,
      pageCache(build),
      redirectToCanonicalUrl(build, matchRoute),
      cspReports(matchRoute),
      requestGuard(refusalCache(matchRoute)),
      errorPage(matchRoute),
      finalize(),
      markdownPages(matchRoute),
    ],
    remixHandler(build),
  );
  const respond = compose([logRequest, catchErrors], requireSettings(services, answer));

  return (request: Request, env: unknown, execution: ExecutionContext) =>
    respond(request, requestContext(request, env, execution, matchRoute));
}

function requestContext(
  request: Request,
  env: unknown,
  execution: ExecutionContext,
  matchRoute: RouteMatcher,
): RequestContext {
  const url = new URL(request.url);
  const ip = request.headers.get("CF-Connecting-IP");
  const route = matchRoute(url.pathname);
  const requestId = /^[\w-]{1,64}$/.exec(request.headers.get("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
  const nonce = route?.hydrates ? randomToken() : "";
  return { requestId, url, ip, route, nonce, log: createLog(requestId), execution, env };
}
