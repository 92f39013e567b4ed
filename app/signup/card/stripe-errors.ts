/** The part of Stripe's errors that decides what becomes of them: https://docs.stripe.com/api/errors */
interface ProviderError {
  type?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
}

/** Stripe's message, where it is written for people: any other is for developers. */
export function messageForVisitor(error: ProviderError | null | undefined): string | undefined {
  const { type = "", code = "", message } = error ?? {};
  const isForPeople =
    ["card_error", "validation_error"].includes(type) || code === "setup_intent_authentication_failure";
  return isForPeople ? message : undefined;
}

/** Whether the setup intent is not what the page takes it for: the server then finds out where the sign-up goes on. */
export function isOutdated({ code = "" }: ProviderError): boolean {
  return code === "setup_intent_unexpected_state" || code === "resource_missing";
}
