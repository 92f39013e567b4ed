import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { hydrates } from "./ui/document/hydration";
import { StylesheetProvider, stylesheetOf } from "./ui/document/inline-stylesheet";
import { NonceProvider } from "./ui/document/nonce";
import { StartScriptProvider } from "./ui/document/start-script";
import { startScript } from "./ui/document/start-script.server";

declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

/** The whole page, for browsers without scripts. Streaming would take 50% longer: React encodes each attribute separately. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  { nonce, readStylesheet }: AppLoadContext,
) {
  const handles = remix.staticHandlerContext.matches.map(({ route }) => route.handle);
  const script = handles.some(hydrates)
    ? startScript(remix, await new Response(remix.serverHandoffStream).text())
    : undefined;
  const html = renderToString(
    <NonceProvider value={nonce}>
      <StartScriptProvider value={script}>
        <StylesheetProvider value={await readStylesheet(stylesheetOf(handles))}>
          <RemixServer context={{ ...remix, serverHandoffStream: undefined }} url={request.url} />
        </StylesheetProvider>
      </StartScriptProvider>
    </NonceProvider>,
  );
  headers.set("Content-Type", "text/html; charset=utf-8");
  // HTTP/1.0 clients such as w3m need a Content-Length; they cannot read chunks.
  return new Response(`<!DOCTYPE html>${html}`, { status, headers });
}

/** Logs errors, but not responses that a route throws, such as a 404. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  context.log.failure("unexpected", error);
};
