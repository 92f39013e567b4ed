import * as z from "zod";

export const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {});

/** The same for each attempt: Stripe takes an idempotency key with the same parameters only. */
export function originOf({ id, request_id }: { id: string; request_id: string | null }): Record<string, string> {
  return { sign_up_id: id, ...(request_id !== null && { request_id }) };
}

/** @param seconds since 1970, as Stripe has times */
export function dateOf(seconds: number | null | undefined): Date | null {
  return seconds == null ? null : new Date(seconds * 1000);
}
