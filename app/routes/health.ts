import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { commit } from "../shared/settings/release";

/** With invalid settings, the pipeline answers instead, with a 503 that names them. */
export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  const body = { status: "ok", release: configuration.RELEASE, commit };
  return Response.json(body, { headers: { "Cache-Control": "no-store" } });
}
