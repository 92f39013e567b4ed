import { messagesOnce } from "../outbox/outbox";
import { type SignUp, wasEnded } from "../sign-up";
import type { Change } from "./store";
import { now } from "./timing";

/** The change that the link in the email makes. Undefined if the address is already confirmed or the sign-up has ended. */
export function confirmEmail(signUp: SignUp): Change | undefined {
  if (wasEnded(signUp) || signUp.email_verified_at !== null) return undefined;
  return { columns: { email_verified_at: now() }, messages: messagesOnce(signUp.id, "email-verified") };
}
