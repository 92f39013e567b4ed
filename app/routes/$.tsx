import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";

/** Renders unknown paths, and the requests that the guard refused. */
export function loader({ context: { log, refusal } }: LoaderFunctionArgs) {
  if (refusal && refusal.status !== 404) throw data({ title: refusal.title, message: refusal.message }, refusal.status);
  log.warn("not_found", { status: 404 });
  throw data(null, 404);
}

export default function CatchAll() {
  return null;
}
