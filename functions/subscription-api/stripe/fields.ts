import * as z from "zod";

/** Of an object of Stripe; null counts as none. */
export const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {});

/** @param seconds since 1970, as Stripe has times */
export function dateOf(seconds: number | null | undefined): Date | null {
  return seconds == null ? null : new Date(seconds * 1000);
}
