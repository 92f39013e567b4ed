import type { LoaderFunctionArgs } from "@remix-run/cloudflare";

/** With invalid settings the edge answers instead, with 503 and their names. */
export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  return Response.json({ status: "ok", release: configuration.RELEASE }, { headers: { "Cache-Control": "no-store" } });
}
