import { subscriptionRequest } from "../contract/subscription-request";

/** The URL's path for a plan; undefined for what is no package id. */
export function planPath(packageId: string | undefined): string | undefined {
  const { success } = subscriptionRequest.shape.package_id.safeParse(packageId);
  return success && packageId ? `/subscription/${packageId}` : undefined;
}
