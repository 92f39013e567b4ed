import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";

/** Every path that no other route takes, and the page of a request that the guard refused. */
export function loader({ context: { log, refusal } }: LoaderFunctionArgs) {
  if (refusal && refusal.status !== 404) throw data({ title: refusal.title, message: refusal.message }, refusal.status);
  log.warn("not_found", { status: 404 });
  throw data(null, 404);
}

export default function UnknownAddress() {
  return null;
}
