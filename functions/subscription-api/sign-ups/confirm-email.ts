import { messagesOnce } from "../outbox/outbox";
import type { SignUp } from "./sign-up";
import type { Change } from "./store";
import { now } from "./timing";

/** The change that the link in the email makes. Undefined if the address is already confirmed or the sign-up has ended. */
export function confirmEmail({ id, end_reason, email_verified_at }: SignUp): Change | undefined {
  if (end_reason !== null || email_verified_at !== null) return undefined;
  return { columns: { email_verified_at: now() }, messages: messagesOnce(id, "email-verified") };
}
