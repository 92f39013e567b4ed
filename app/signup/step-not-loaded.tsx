import { useLocation, useRouteLoaderData } from "@remix-run/react";
import { ErrorPage } from "../ui/layout/error-page";
import type { Site } from "../ui/use-site";

/** The sign-up's error page. The cookie keeps the sign-up, so a new try of the same page continues it. */
export function StepNotLoaded() {
  const { pathname, search } = useLocation();
  const site = useRouteLoaderData("root") as Site | undefined;
  return <ErrorPage title="Unexpected Application Error" requestId={site?.requestId} tryAgain={pathname + search} />;
}
