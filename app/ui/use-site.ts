import { useRouteLoaderData } from "@remix-run/react";
import type { ApiPromise } from "../contract/api-promises";

export interface Site {
  consoleUrl: string;
  customerPortalUrl: string | undefined;
  apiPromises: readonly ApiPromise[];
  siteUrl: string;
  automaticTax: boolean;
  year: number;
  requestId: string;
}

/** Use only inside the root layout. */
export function useSite(): Site {
  const data = useRouteLoaderData("root") as Site | undefined;
  if (!data) throw new Error("useSite needs the root loader's data: the root loader failed or did not run.");
  return data;
}

export function useIsPromised(promise: ApiPromise): boolean {
  return useSite().apiPromises.includes(promise);
}

export type RouteMatches = { id: string; data: unknown }[];

/** For meta functions; undefined if the root loader failed. */
export function siteOf(matches: RouteMatches): Site | undefined {
  return matches.find(({ id }) => id === "root")?.data as Site | undefined;
}
