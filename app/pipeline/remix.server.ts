import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import type { Handler } from "hono";
import { isHtml } from "./markdown.server";

/** Remix with the pages' context. */
export function remix(build: ServerBuild): Handler<{ Bindings: AppLoadContext }> {
  const handle = createRequestHandler(build, "production");
  return async (c) => {
    const response = await handle(withoutTraps(c.req.raw), c.env);
    // Remix's last resort, when its error page fails too, for example after an error in the root's loader.
    const isFallback = response.status === 500 && !isHtml(response) && !c.env.route?.isData;
    if (isFallback) throw new Error("Remix could not render its error page");
    return response;
  };
}

/**
 * Remix trusts X-Forwarded-Host and fails on an Origin that it cannot parse, also for the HEAD of a page's data. The guard has
 * judged the origin.
 */
function withoutTraps(request: Request): Request {
  if (request.method === "GET") return request;
  const headers = new Headers(request.headers);
  headers.delete("Origin");
  headers.delete("X-Forwarded-Host");
  return new Request(request, { headers });
}
