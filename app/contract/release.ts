import * as z from "zod/mini";

declare const COMMIT: string | undefined;

/** The commit that runs: `npm run deploy` names it to Wrangler (--define). */
export const commit = typeof COMMIT === "string" ? COMMIT : "unknown";

/** The id of the deployed version, from the binding of `[version_metadata]`. */
export const release = z.catch(
  z.pipe(
    z.object({ id: z.string().check(z.minLength(1)) }),
    z.transform(({ id }) => id),
  ),
  "unknown",
);
