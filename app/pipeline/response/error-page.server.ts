import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeError } from "../../shared/describe-error";
import type { SiteEnv } from "../context.server";
import { type Refusal, RefusedRequest } from "../guard/refusals.server";

/** Answers a refused request with the refusal's page, and any other error with a page that needs no React. */
export function errorPage(
  refusalPage: (c: Context<SiteEnv>, refusal: Refusal) => Promise<Response | undefined>,
): ErrorHandler<SiteEnv> {
  return async (error, c) => {
    const { log } = c.var;
    if (!(error instanceof RefusedRequest)) {
      log.error("unexpected", describeError(error));
      return plainPage(c, 500, "Unexpected Application Error");
    }
    const { refusal } = error;
    if (refusal.status !== 404) log.add({ outcome: "refused", reason: refusal.title });
    const rendered = await refusalPage(c, refusal).catch((failure) => {
      log.error("unexpected", describeError(failure));
    });
    const page = rendered ?? plainPage(c, refusal.status, refusal.title);
    for (const [name, value] of Object.entries(refusal.headers ?? {})) page.headers.set(name, value);
    return page;
  };
}

/** A page without the site's layout, with the request ID. `message` needs no escaping. */
export function plainPage(c: Context<SiteEnv>, status: ContentfulStatusCode, message: string): Response {
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request ID: ${c.var.requestId}</p></html>`,
    status,
  );
}
