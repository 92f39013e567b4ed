import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeError } from "../../shared/describe-error";
import type { SiteEnv } from "../context.server";
import { Refusal } from "../guard/refusals.server";

/** Answers a refused request with the refusal's page, and any other error with a page that needs no React. */
export function errorPage(
  refusalPage: (c: Context<SiteEnv>, refusal: Refusal) => Promise<Response | undefined>,
): ErrorHandler<SiteEnv> {
  return async (error, c) => {
    const log = c.get("log");
    if (!(error instanceof Refusal)) {
      log.error("unexpected", describeError(error));
      return plainPage(c, 500, "Unexpected Application Error");
    }
    const { status, title, headers } = error;
    if (status !== 404) log.add({ outcome: "refused", reason: title });
    const rendered = await refusalPage(c, error).catch((failure) => {
      log.error("unexpected", describeError(failure));
    });
    const page = rendered ?? plainPage(c, status, title);
    for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
    return page;
  };
}

/** A page without the site's layout, with the request ID. `message` needs no escaping. */
export function plainPage(c: Context<SiteEnv>, status: ContentfulStatusCode, message: string): Response {
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request ID: ${c.get("requestId")}</p></html>`,
    status,
  );
}
