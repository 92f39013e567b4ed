import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { commit } from "../contract/release";

/** With invalid settings the edge answers instead, with 503 and their names. */
export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  const body = { status: "ok", release: configuration.RELEASE, commit };
  return Response.json(body, { headers: { "Cache-Control": "no-store" } });
}
