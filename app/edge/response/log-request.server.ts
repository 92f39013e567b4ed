import type { Middleware } from "../middleware.server";
import type { RequestContext } from "../request-context.server";

export const logRequest: Middleware<RequestContext> = async (request, context, next) => {
  const started = Date.now();
  const response = await next(request, context);
  response.headers.set("X-Request-Id", context.requestId);
  context.log.end({
    method: request.method,
    route: context.route?.pattern ?? "unknown",
    status: response.status,
    outcome: response.status >= 500 ? "failed" : "answered",
    duration_ms: Date.now() - started,
  });
  return response;
};
