import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import { isRouteErrorResponse, type MetaFunction, useRouteError } from "@remix-run/react";
import { titleOf } from "../company";
import type { Refusal } from "../pipeline/guard/refusals.server";
import { ErrorPage } from "../ui/layout/error-page";
import { NotFound } from "../ui/layout/not-found";
import { useSite } from "../ui/use-site";

/** The page of refused requests, including unknown paths. */
export function loader({ context: { refusal } }: LoaderFunctionArgs) {
  if (!refusal || refusal.status === 404) throw data(null, 404);
  throw data({ title: refusal.title, message: refusal.message }, refusal.status);
}

export const meta: MetaFunction = ({ error }) => [
  { title: titleOf(refusalIn(error)?.title ?? "Page not found") },
  { name: "robots", content: "noindex" },
];

export default function CatchAll() {
  return null;
}

export function ErrorBoundary() {
  const refusal = refusalIn(useRouteError());
  const { requestId } = useSite();
  return refusal ? <ErrorPage {...refusal} requestId={requestId} /> : <NotFound />;
}

/** Undefined for an unknown path. */
function refusalIn(error: unknown): Pick<Refusal, "title" | "message"> | undefined {
  return isRouteErrorResponse(error) && error.status !== 404 ? error.data : undefined;
}
