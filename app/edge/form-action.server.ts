import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Middleware } from "./middleware.server";

/** Takes a posted form. */
export type TakeForm = (
  request: Request,
  context: AppLoadContext,
) => Promise<NonNullable<AppLoadContext["formOutcome"]>>;

/**
 * Takes a form before Remix sees the request. A form that is accepted only redirects, and all that Remix would add is two
 * route matches and three copies of the request, half of what such an answer costs. Every other outcome is in Remix's
 * context: the route's action returns it, and Remix makes the page.
 */
export function formAction(takeForm: TakeForm): Middleware<AppLoadContext> {
  return async (request, context, next) => {
    if (context.form === undefined) return next(request, context);
    const formOutcome = await takeForm(request, context).catch((error: unknown) => ({
      status: "failed" as const,
      error,
    }));
    if (formOutcome.status === "redirect" && !context.route?.isData) return formOutcome.response;
    return next(bareRequest(request), { ...context, formOutcome });
  };
}

/**
 * What Remix gets of a post, whose body has been read. Of the headers only the cookie is left: Remix would believe an X-Forwarded-Host that anyone can
 * send, and answer an Origin that it cannot read with an error.
 */
function bareRequest({ url, headers, signal }: Request): Request {
  const cookie = headers.get("Cookie");
  return new Request(url, { method: "POST", headers: cookie === null ? {} : { Cookie: cookie }, signal });
}
