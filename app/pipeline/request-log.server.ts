import type { MiddlewareHandler } from "hono";
import { loggedPath } from "../shared/log/logged-path";
import type { SiteEnv } from "./context.server";
import { createLog } from "./log.server";
import type { RouteMatcher } from "./routes.server";

export function logRequests(matchRoute: RouteMatcher): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    const started = Date.now();
    const requestId = c.get("requestId");
    const log = createLog(requestId, c.env);
    const url = new URL(c.req.url);
    const route = matchRoute(url.pathname);
    c.set("log", log);
    c.set("url", url);
    c.set("ip", c.req.header("CF-Connecting-IP") ?? null);
    c.set("route", route);
    await next();
    c.res.headers.set("X-Request-Id", requestId);
    log.end({
      method: c.req.method,
      route: route?.pattern ?? "unknown",
      status: c.res.status,
      outcome: c.res.status >= 500 ? "failed" : "answered",
      duration_ms: Date.now() - started,
      ...(c.res.status >= 400 && { path: loggedPath(url) }),
    });
  };
}
