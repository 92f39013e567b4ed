import { subscriptionRequest } from "../contract/subscription-request";

/** Path of a plan's form; undefined if the package id is malformed. */
export function planPath(packageId: string | undefined): string | undefined {
  const { success } = subscriptionRequest.shape.package_id.safeParse(packageId);
  return success && packageId ? `/subscription/${packageId}` : undefined;
}
