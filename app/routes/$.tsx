import { data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import { type MetaFunction, useLoaderData } from "@remix-run/react";
import { titleOf } from "../company";
import { NOT_FOUND } from "../pipeline/guard/refusals.server";
import { ErrorPage } from "../ui/layout/error-page";
import { NotFound } from "../ui/layout/not-found";

/** The page for refused requests and unknown paths. Only the page cache renders it; no visitor's request reaches this route. */
export function loader({ context: { refusal = NOT_FOUND } }: LoaderFunctionArgs) {
  const { status, title, message } = refusal;
  return data({ status, title, message }, status);
}

export const meta: MetaFunction<typeof loader> = ({ data: refusal }) => [
  { title: titleOf(!refusal || refusal.status === 404 ? "Page not found" : refusal.title) },
  { name: "robots", content: "noindex" },
];

export default function RefusedRequest() {
  const { status, title, message } = useLoaderData<typeof loader>();
  return status === 404 ? <NotFound /> : <ErrorPage title={title} message={message} />;
}
