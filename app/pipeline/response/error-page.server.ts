import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { encode } from "turbo-stream";
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
    if (c.get("route")?.isData) return forScript(error);
    const rendered = await refusalPage(c, error).catch((failure) => {
      log.error("unexpected", describeError(failure));
    });
    const page = rendered ?? plainPage(c, status, title);
    for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
    return page;
  };
}

/** A refusal as a page's script reads it: https://remix.run/docs/en/main/guides/single-fetch#streaming-data-format */
function forScript(refusal: Refusal): Response {
  const { status, title, headers } = refusal;
  const asErrorResponse = (value: unknown): [string, ...unknown[]] | false =>
    value instanceof Refusal && ["ErrorResponse", null, status, title];
  const body = encode({ error: refusal }, { plugins: [asErrorResponse] });
  return new Response(body, { status, headers: { ...headers, "Content-Type": "text/x-script" } });
}

/** A page without the site's layout, with the request ID. `message` needs no escaping. */
export function plainPage(c: Context<SiteEnv>, status: ContentfulStatusCode, message: string): Response {
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request ID: ${c.get("requestId")}</p></html>`,
    status,
  );
}
