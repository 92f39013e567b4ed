import { inParallel } from "../connections";
import { log } from "../log";
import type { DeletedSignUps } from "../sign-ups/deleted-sign-ups";
import type { SignUps } from "../sign-ups/store";
import type { Payments } from "../stripe/payments";
import type { RunLimits } from "./run-limits";

export type LateCustomerServices = { deletedSignUps: DeletedSignUps; signUps: SignUps; payments: Payments };

/** Searches from ten minutes earlier, because Stripe's clock may differ and the deletion began earlier. */
const EARLIER_MS = 10 * 60_000;

/**
 * Deletes customers that Stripe created after their sign-up was deleted, because the call for them was slow.
 * @returns their number. Throws PaymentsError and D1's errors.
 */
export async function deleteLateCustomers(services: LateCustomerServices, limits: RunLimits): Promise<number> {
  const { deletedSignUps, signUps, payments } = services;
  if (!limits.hasLeft()) return 0;
  const searchedAt = new Date();
  const remembered = await deletedSignUps.remembered();
  if (remembered === undefined) return 0;
  const created = await payments.findCustomersSince(new Date(remembered.since.getTime() - EARLIER_MS));
  const late = created.filter(({ signUpId }) => remembered.has(signUpId));
  let deleted = 0;
  await inParallel(late, async ({ id, signUpId }) => {
    // The deletion may have failed after it was remembered.
    if ((await signUps.find(signUpId)) !== null) return;
    await payments.deleteCustomer(id);
    deleted += 1;
    log("warn", "late_customer_deleted", { signUpId });
  });
  await deletedSignUps.forget(searchedAt);
  return deleted;
}
