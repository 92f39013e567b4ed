import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { company } from "../company";

export const meta: MetaFunction = ({ error }) => {
  const title = hasTitle(error) ? error.data.title : "Page not found";
  return [{ title: `${title} · ${company.name}` }, { name: "robots", content: "noindex" }];
};

/** Every address that no other route takes, and the page of a request that the gate refused. */
export function loader({ context: { log, refusal } }: LoaderFunctionArgs) {
  if (refusal && refusal.status !== 404) throw data({ title: refusal.title, message: refusal.message }, refusal.status);
  log.warn("not_found", { status: 404 });
  throw data(null, 404);
}

export default function UnknownAddress() {
  return null;
}

function hasTitle(error: unknown): error is { data: { title: string } } {
  return (
    typeof error === "object" &&
    error !== null &&
    "data" in error &&
    typeof error.data === "object" &&
    error.data !== null &&
    "title" in error.data
  );
}
