import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { StylesheetProvider, stylesheetOf } from "./ui/document/inline-stylesheet";
import { NonceProvider } from "./ui/document/nonce";

declare module "@remix-run/server-runtime" {
  interface Future {
    v3_singleFetch: true;
  }
}

/**
 * Renders the whole page at once, so that it is complete without JavaScript. Streaming would take 50% longer, because React encodes
 * every attribute separately.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  { nonce, readStylesheet }: AppLoadContext,
) {
  await readData(remix);
  const handles = remix.staticHandlerContext.matches.map(({ route }) => route.handle);
  const html = renderToString(
    <NonceProvider value={nonce}>
      <StylesheetProvider value={await readStylesheet(stylesheetOf(handles))}>
        <RemixServer context={remix} url={request.url} nonce={nonce} />
      </StylesheetProvider>
    </NonceProvider>,
  );
  headers.set("Content-Type", "text/html; charset=utf-8");
  // HTTP/1.0 clients such as w3m need a Content-Length; they cannot read chunks.
  return new Response(`<!DOCTYPE html>${html}`, { status, headers });
}

/** Reads the loaders' data before rendering, because Remix's streaming component would wait for it during rendering. */
async function readData({ renderMeta = {}, serverHandoffStream }: EntryContext): Promise<void> {
  const reader = serverHandoffStream?.getReader();
  const decoder = new TextDecoder();
  renderMeta.streamCache = {};
  for (let piece = 0, done = reader === undefined; !done; piece++) {
    const read = await reader?.read();
    done = read?.done ?? true;
    const result = { done, value: decoder.decode(read?.value, { stream: true }) };
    renderMeta.streamCache[piece] = Object.assign(Promise.resolve(), { result });
  }
  reader?.releaseLock();
}

/** Logs errors, but not responses that a route throws, such as a 404. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  context.log.failure("unexpected", error);
};
