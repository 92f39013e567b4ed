import type { LoaderFunctionArgs } from "@remix-run/cloudflare";

/** For monitoring: 200 with the release. With bad settings the edge answers instead: 503 and their names. */
export function loader({ context: { release } }: LoaderFunctionArgs) {
  return Response.json({ status: "ok", release }, { headers: { "Cache-Control": "no-store" } });
}
