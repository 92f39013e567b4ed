import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Middleware } from "../middleware.server";
import { uncached } from "./fallbacks.server";

/** Redirects to https. A form is not accepted over http and has to be filled in again. */
export const requireTls: Middleware<AppLoadContext> = (request, context, next) => {
  const { url, configuration } = context;
  if (!configuration.SITE_URL.startsWith("https:") || url.protocol !== "http:") return next(request, context);
  const secure = new URL(url);
  secure.protocol = "https:";
  const status = request.method === "GET" || request.method === "HEAD" ? 301 : 303;
  return uncached(new Response(null, { status, headers: { Location: secure.href } }), url);
};
