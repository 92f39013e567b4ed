import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";

/** Renders the requests that the guard refused, unknown paths among them. */
export function loader({ context: { refusal } }: LoaderFunctionArgs) {
  if (!refusal || refusal.status === 404) throw data(null, 404);
  throw data({ title: refusal.title, message: refusal.message }, refusal.status);
}

export default function CatchAll() {
  return null;
}
