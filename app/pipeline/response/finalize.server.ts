import type { AppLoadContext } from "@remix-run/cloudflare";
import { mayBeCached } from "../cache/page-cache.server";
import { isHtml } from "../markdown/markdown.server";
import type { Middleware } from "../middleware.server";
import { assetReader, type ReadAsset, withInlineStyle } from "./inline-style.server";
import { withSecurityHeaders } from "./security-headers.server";

/** Sets Cache-Control and the security headers. Inlines an HTML page's style sheet. */
export function finalize(): Middleware<AppLoadContext> {
  let readAsset: ReadAsset | undefined;

  async function finalized(response: Response, { url, route, nonce, configuration }: AppLoadContext) {
    if (!mayBeCached(response, route)) response.headers.set("Cache-Control", "no-store");
    if (!isHtml(response)) return withSecurityHeaders(response, url);
    readAsset ??= assetReader(configuration.ASSETS);
    const { html, style: inlineStyle } = await withInlineStyle(await response.text(), readAsset);
    const page = new Response(html, response);
    if (!route?.hydrates) return withSecurityHeaders(page, url, { hydrates: false, nonce, inlineStyle });
    const stripeOrigin = configuration.STRIPE_JS_URL && new URL(configuration.STRIPE_JS_URL).origin;
    const turnstile = configuration.TURNSTILE_SITE_KEY !== undefined;
    // A page for the cache has no nonce.
    const inlineScripts =
      nonce === "" ? [...html.matchAll(/<script[^>]*>(.+?)<\/script>/gs)].map(([, text = ""]) => text) : [];
    const policy = { hydrates: true, nonce, stripeOrigin, turnstile, inlineStyle, inlineScripts };
    return withSecurityHeaders(page, url, policy);
  }

  return async (request, context, next) => {
    const response = await finalized(await next(request, context), context);
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}
