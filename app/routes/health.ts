import type { LoaderFunctionArgs } from "@remix-run/cloudflare";

/** For monitoring: 200 with the release. With bad settings the edge answers instead: 503 and their names. */
export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  return Response.json({ status: "ok", release: configuration.RELEASE }, { headers: { "Cache-Control": "no-store" } });
}
