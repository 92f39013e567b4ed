/** The fields of Stripe's errors that are used: https://docs.stripe.com/api/errors */
interface ProviderError {
  type?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
}

/** Stripe's message if it is written for customers, not developers. */
export function messageForVisitor(error: ProviderError | null | undefined): string | undefined {
  const { type = "", code = "", message } = error ?? {};
  const isForPeople =
    ["card_error", "validation_error"].includes(type) || code === "setup_intent_authentication_failure";
  return isForPeople ? message : undefined;
}

/** True if the setup intent has changed elsewhere, so that the server must decide the next step. */
export function isOutdated({ code = "" }: ProviderError): boolean {
  return code === "setup_intent_unexpected_state" || code === "resource_missing";
}
