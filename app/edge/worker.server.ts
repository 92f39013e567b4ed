import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type FormHandler, formAction } from "./form-action.server";
import { type FormRules, requestGuard } from "./guard/request-guard.server";
import { routeMatcher } from "./guard/route-matcher.server";
import { compose } from "./middleware.server";
import { markdownPages } from "./pages/markdown.server";
import { pageCache } from "./pages/page-cache.server";
import { cspReports } from "./reports/csp-reports.server";
import { type ExecutionContext, requestContext } from "./request-context.server";
import { errorPage } from "./response/error-page.server";
import { catchErrors } from "./response/fallbacks.server";
import { finalize } from "./response/finalize.server";
import { logRequest } from "./response/log-request.server";
import { requireTls } from "./response/require-tls.server";
import type { Configuration } from "./settings/configuration.server";
import { requireSettings, type Services } from "./settings/require-settings.server";

export interface SiteOptions {
  build: ServerBuild;
  services(configuration: Configuration): Services;
  form: FormRules & { take: FormHandler };
}

/** Requests pass the middleware from top to bottom, responses from bottom to top. */
export function createSite({ build, services, form }: SiteOptions) {
  const matchRoute = routeMatcher(build);
  const answer = compose(
    [
      requireTls,
      pageCache(build),
      cspReports(matchRoute),
      requestGuard(matchRoute, form),
      errorPage(matchRoute),
      finalize(),
      markdownPages(matchRoute),
      formAction(form.take),
    ],
    createRequestHandler(build, "production"),
  );
  const respond = compose([logRequest, catchErrors], requireSettings(services, answer));

  return (request: Request, env: unknown, execution: ExecutionContext) =>
    respond(request, requestContext(request, env, execution, matchRoute));
}
