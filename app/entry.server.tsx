import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import type { SiteContext } from "./pipeline/context.server";
import { describeError } from "./shared/describe-error";
import { CountryOptionsProvider } from "./signup/form/country-list";
import { countryOptions } from "./signup/form/country-options";
import type { SignupServices } from "./signup/server/services.server";
import { afterFirstPaint, waitForFirstPaint } from "./ui/document/after-first-paint";
import { NonceProvider } from "./ui/document/nonce";
import { prerenderRules } from "./ui/document/prerender";

declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

declare module "@remix-run/cloudflare" {
  interface AppLoadContext extends SiteContext, SignupServices {}
}

/**
 * Renders the whole page at once, so that it is complete without JavaScript. Streaming would cost half as much again, because
 * React encodes every attribute separately.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  { nonce }: AppLoadContext,
) {
  const { serverHandoffStream } = remix;
  const html = renderToString(
    <NonceProvider value={nonce}>
      <CountryOptionsProvider value={countryOptions}>
        <RemixServer
          context={{ ...remix, serverHandoffStream: undefined }}
          url={request.url}
          nonce={nonce || undefined}
        />
      </CountryOptionsProvider>
    </NonceProvider>,
  );
  if (html.includes(FAILED_BOUNDARY)) throw new Error("A part of the page could not be rendered");
  const hydrates = remix.renderMeta?.didRenderScripts === true && serverHandoffStream !== undefined;
  const lastScript = hydrates ? handOff(await new Response(serverHandoffStream).text(), nonce) : PRERENDER;
  headers.set("Content-Type", "text/html; charset=utf-8");
  // HTTP/1.0 clients such as w3m need a Content-Length; they cannot read chunks.
  const page = waitForFirstPaint(html).replace(END_OF_PAGE, () => lastScript + END_OF_PAGE);
  return new Response(`<!DOCTYPE html>${page}`, { status, headers });
}

/** Allowed by its hash in the policy. */
const PRERENDER = `<script type="speculationrules">${prerenderRules}</script>`;
const END_OF_PAGE = "</body></html>";
/** React writes this in place of a Suspense boundary that threw. No content can contain it, because `<` is escaped. */
const FAILED_BOUNDARY = "<!--$!-->";

/** Passes the loaders' data to the browser in the format of Remix's streaming component, and starts its scripts. */
function handOff(data: string, nonce: string): string {
  const text = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const controller = "window.__remixContext.streamController";
  return `<script${nonce && ` nonce="${nonce}"`}>${controller}.enqueue(${text});${controller}.close();${afterFirstPaint}</script>`;
}

/** Logs errors, but not responses that a route throws, such as a 404. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  context.log.error("unexpected", describeError(error));
};
