import type { EntryContext } from "@remix-run/cloudflare";
import { RemixServer } from "@remix-run/react";
import { renderToReadableStream } from "react-dom/server";
export default async function h(request: Request, status: number, headers: Headers, ctx: EntryContext) {
  return new Response(await renderToReadableStream(<RemixServer context={ctx} url={request.url} />), {
    status,
    headers,
  });
}
