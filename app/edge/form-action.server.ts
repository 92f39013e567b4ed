import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Middleware } from "./middleware.server";

export type FormHandler = (
  request: Request,
  context: AppLoadContext,
) => Promise<NonNullable<AppLoadContext["formOutcome"]>>;

/** Handles a form before Remix does, which halves the cost of a redirect; the route returns any other outcome. */
export function formAction(handleForm: FormHandler): Middleware<AppLoadContext> {
  return async (request, context, next) => {
    if (context.form === undefined) return next(request, context);
    const formOutcome = await handleForm(request, context).catch((error: unknown) => ({
      status: "failed" as const,
      error,
    }));
    if (formOutcome.status === "redirect" && !context.route?.isData) return formOutcome.response;
    return next(bareRequest(request), { ...context, formOutcome });
  };
}

/** Keeps only the cookie: Remix trusts any X-Forwarded-Host, and fails on an Origin that it cannot parse. */
function bareRequest({ url, headers, signal }: Request): Request {
  const cookie = headers.get("Cookie");
  return new Request(url, { method: "POST", headers: cookie === null ? {} : { Cookie: cookie }, signal });
}
