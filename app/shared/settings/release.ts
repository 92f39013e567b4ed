import * as z from "zod/mini";

declare const COMMIT: string | undefined;

/** The deployed commit: `npm run deploy` passes it to Wrangler (--define). */
export const commit = typeof COMMIT === "string" ? COMMIT : "unknown";

/** The deployed version's id, from the `[version_metadata]` binding. */
export const release = z.catch(
  z.pipe(
    z.object({ id: z.string().check(z.minLength(1)) }),
    z.transform(({ id }) => id),
  ),
  "unknown",
);
