import * as z from "zod/mini";
import { MAX_CENTS } from "./money";

/** Response of `GET /subscription/packages/{package_id}`, for a plan that is not on the price list. */
export const packageResponse = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("available"),
    price_cents: z.int().check(z.minimum(1), z.maximum(MAX_CENTS)),
    currency: z.literal("usd"),
  }),
  z.object({ status: z.enum(["retired", "unknown"]) }),
]);

export type PackageResponse = z.output<typeof packageResponse>;
