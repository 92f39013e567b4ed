import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { encode } from "turbo-stream";
import { ONLY_THIS_MACHINE } from "../../shared/settings/settings";
import { UNEXPECTED_ERROR } from "../../ui/layout/error-page";
import type { SiteEnv } from "../context.server";
import { Refusal } from "../guard/refusals.server";

/** Thrown after an error that Remix has logged and has no page for. */
export class NoErrorPage extends Error {}

export const errorPage: ErrorHandler<SiteEnv> = (error, c) => {
  if (!(error instanceof NoErrorPage)) c.get("log").failure("unexpected", error);
  return plainPage(c, 500, UNEXPECTED_ERROR);
};

/** Answers a refused request and logs why, except a 404. @param pageOf renders the refusal's page; undefined if it cannot */
export function refusing(pageOf: (c: Context<SiteEnv>, refusal: Refusal) => Promise<Response | undefined>) {
  return async (c: Context<SiteEnv>, refusal: Refusal): Promise<Response> => {
    const { status, title, headers } = refusal;
    const log = c.get("log");
    if (status !== 404) log.add({ outcome: "refused", reason: title });
    if (c.get("route")?.isData) return forScript(refusal);
    const rendered = await pageOf(c, refusal).catch((failure) => {
      log.failure("unexpected", failure);
    });
    const page = rendered ?? plainPage(c, status, title);
    for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
    return page;
  };
}

/** Answers a host that local settings do not serve: https://www.rfc-editor.org/rfc/rfc9110#name-421-misdirected-request */
export function misdirected(c: Context<SiteEnv>): Response {
  return plainPage(c, 421, ONLY_THIS_MACHINE);
}

/** As Remix's script expects: https://remix.run/docs/en/main/guides/single-fetch#streaming-data-format */
function forScript(refusal: Refusal): Response {
  const { status, title, message, headers } = refusal;
  const asErrorResponse = (value: unknown): [string, ...unknown[]] | false =>
    value instanceof Refusal && ["ErrorResponse", message, status, title];
  const body = encode({ error: refusal }, { plugins: [asErrorResponse] });
  return new Response(body, { status, headers: { ...headers, "Content-Type": "text/x-script" } });
}

/** A page without the site's layout. `message` is not escaped: pass only fixed text. */
export function plainPage(c: Context<SiteEnv>, status: ContentfulStatusCode, message: string): Response {
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request ID: ${c.get("requestId")}</p></html>`,
    status,
  );
}
