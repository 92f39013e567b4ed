import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToReadableStream } from "react-dom/server";
import { describeError } from "./edge/log.server";
import type { SiteContext } from "./edge/request-context.server";
import { CountryOptionsProvider } from "./signup/form/country-list";
import { countryOptions } from "./signup/form/country-options";
import type { SignupServices } from "./signup/services.server";
import type { FormOutcome } from "./signup/submit/form-outcome.server";
import { NonceProvider } from "./ui/request-context";

declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

declare module "@remix-run/cloudflare" {
  interface AppLoadContext extends SiteContext, SignupServices {
    formOutcome?: FormOutcome;
  }
}

/** Waits for the whole page, so that all of it is there without JavaScript. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  { nonce, log }: AppLoadContext,
) {
  let failed = false;
  const stream = await renderToReadableStream(
    <NonceProvider value={nonce}>
      <CountryOptionsProvider value={countryOptions}>
        <RemixServer context={remix} url={request.url} nonce={nonce} />
      </CountryOptionsProvider>
    </NonceProvider>,
    {
      nonce,
      signal: request.signal,
      onError(error) {
        failed = true;
        log.error("unexpected", describeError(error));
      },
    },
  );
  await stream.allReady;
  // HTTP/1.0 clients such as w3m need a Content-Length; they cannot read chunks.
  const html = await new Response(stream).text();
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status: failed ? 500 : status, headers });
}

/** Responses that a route throws on purpose, such as a 404, are not logged as errors. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  context.log.error("unexpected", describeError(error));
};
