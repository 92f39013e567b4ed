import type { ServerBuild } from "@remix-run/cloudflare";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { cloudflareRay } from "../shared/http/request-id";
import { type App, type SiteEnv, siteContext } from "./context.server";
import { localHosts } from "./guard/local-hosts.server";
import { guard } from "./guard/request-guard.server";
import { withMarkdown } from "./markdown.server";
import { formCookie, pageCache } from "./page-cache.server";
import { remix } from "./remix.server";
import { logRequests } from "./request-log.server";
import { errorPage, misdirected, refusing } from "./response/error-page.server";
import { redirectToCanonicalUrl, redirectToTls } from "./response/redirects.server";
import { securityHeaders, withPageHeaders } from "./response/security-headers.server";
import { routeMatcher } from "./routes.server";
import type { Configuration } from "./settings/configuration.server";
import { requireSettings } from "./settings/require-settings.server";

interface SiteOptions {
  build: ServerBuild;
  app(configuration: Configuration): App;
}

/** The site's Worker. Requests pass the stages from top to bottom, responses from bottom to top. */
export function createSite({ build, app }: SiteOptions) {
  const matchRoute = routeMatcher(build);
  const renderPage = withPageHeaders(withMarkdown(remix(build)));
  const cache = pageCache(renderPage, matchRoute);

  return new Hono<SiteEnv>()
    .onError(errorPage)
    .use(requestId({ headerName: "", generator: cloudflareRay }))
    .use(logRequests(matchRoute))
    .use(securityHeaders)
    .use(requireSettings(app))
    .use(localHosts(misdirected))
    .use(redirectToTls)
    .use(formCookie)
    .use(cache.respond)
    .use(redirectToCanonicalUrl(matchRoute))
    .use(guard(refusing(cache.refusalPage)))
    .all("*", (c) => renderPage(c.req.raw, siteContext(c)));
}

// Not used of Hono: `csrf` refuses curl and text browsers, which send neither Origin nor Sec-Fetch-Site; `body-limit`
// buffers without a deadline; `trailing-slash` redirects to whatever host the request names.
