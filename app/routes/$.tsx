import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import { isRouteErrorResponse, type MetaFunction, useRouteError } from "@remix-run/react";
import { titleOf } from "../company";
import { type Refusal, refusalOf } from "../pipeline/guard/refusals.server";
import { ErrorPage } from "../ui/layout/error-page";
import { NotFound } from "../ui/layout/not-found";

type RefusalText = Pick<Refusal, "title" | "message">;

/** The pages of refused requests, by status: `/405`. No visitor reaches this route. */
export function loader({ params }: LoaderFunctionArgs) {
  const { status, title, message } = refusalOf(Number(params["*"])) ?? { status: 404, title: "", message: "" };
  throw data<RefusalText>({ title, message }, status);
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
  return refusal ? <ErrorPage title={refusal.title} message={refusal.message} /> : <NotFound />;
}

/** Undefined for an unknown path. */
function refusalIn(error: unknown): RefusalText | undefined {
  return isRouteErrorResponse(error) && error.status !== 404 ? error.data : undefined;
}
