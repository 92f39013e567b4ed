import * as z from "zod/mini";

/** Which deployment this is. Local development has none. */
export const stage = z.optional(z.enum(["production", "staging"], "must be production or staging"));

/** The mode of Stripe's keys. Only production charges real cards. */
export function modeOf(given: z.output<typeof stage>): "live" | "test" {
  return given === "production" ? "live" : "test";
}

/** Null if nothing is wrong. */
export function modeProblem(key: string, given: z.output<typeof stage>): string | null {
  const mode = modeOf(given);
  return new RegExp(`^[a-z]k_${mode}_`).test(key) ? null : `must be a ${mode} key`;
}
