import { useRouteLoaderData } from "@remix-run/react";

/** What the pages know of their environment, as the root loader hands it out. */
export interface Site {
  consoleUrl: string;
  siteUrl: string;
  researchUrl: string;
  salesEmail: string;
  supportEmail: string;
  legalEmail: string;
  year: number;
  packageIds: { mini: string; lite: string; standard: string };
  requestId: string;
}

/** The site data of the root loader; only for what root renders inside its document. */
export function useSite(): Site {
  const data = useRouteLoaderData("root") as Site | undefined;
  if (!data) throw new Error("useSite needs the root loader's data: the root loader failed or did not run.");
  return data;
}

/** What a route's meta function gets of the routes around it. */
export type RouteMatches = { id: string; data: unknown }[];

/** The site data for a meta function; undefined when the root loader failed. */
export function siteOf(matches: RouteMatches): Site | undefined {
  return matches.find(({ id }) => id === "root")?.data as Site | undefined;
}

/** A mail link with an optional subject. */
export function mailTo(address: string, subject?: string): string {
  return subject ? `mailto:${address}?subject=${encodeURIComponent(subject)}` : `mailto:${address}`;
}
