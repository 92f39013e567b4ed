import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import { loggedPath } from "../edge/log.server";

/** Renders unknown paths, and the requests that the guard refused. */
export function loader({ context: { log, refusal, url } }: LoaderFunctionArgs) {
  if (refusal?.status === 404) throw data(null, 404);
  if (refusal) throw data({ title: refusal.title, message: refusal.message }, refusal.status);
  log.warn("not_found", { status: 404, path: loggedPath(url) });
  throw data(null, 404);
}

export default function CatchAll() {
  return null;
}
