/** The paths of the public pages. `pages.ts` has their titles; `npm run smoke` requests them. */
export const PUBLIC_PATHS = ["/", "/pricing", "/privacy", "/terms", "/security"] as const;

export type PublicPath = (typeof PUBLIC_PATHS)[number];
