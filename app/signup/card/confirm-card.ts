import type { SetupIntentResult, StripeError } from "@stripe/stripe-js";
import { type Notice, PAYMENT_ERROR, paymentFailed, triesLeft } from "../notices";

/** A notice if the card has to be entered again; otherwise the server asks Stripe, and decides the next step. */
export async function confirmCard(
  clientSecret: string,
  confirm: () => Promise<SetupIntentResult>,
): Promise<Notice | "ask the server"> {
  try {
    const result = await confirm();
    if (isOver(result)) return "ask the server";
    return paymentFailed(result.error?.message, triesLeft(countDeclined(clientSecret, result.error)));
  } catch {
    return PAYMENT_ERROR;
  }
}

/** Stripe's codes for a setup that has changed elsewhere, and for one that it does not know. */
const OUTDATED = ["setup_intent_unexpected_state", "resource_missing"];

/** True if the setup can take no card now: the server must say what became of it. */
export function isOver({ setupIntent, error }: SetupIntentResult): boolean {
  const status = setupIntent?.status ?? error?.setup_intent?.status ?? "";
  return ["succeeded", "processing", "canceled"].includes(status) || OUTDATED.includes(error?.code ?? "");
}

const DECLINED_CARDS = "declined-cards";

/** How many cards of this sign-up have been declined in this tab, reloads included. A card that was not tried does not count. */
function countDeclined(clientSecret: string, error: StripeError | undefined): number {
  if (error?.type !== "card_error" && error?.code !== "setup_intent_authentication_failure") return 0;
  const [id] = clientSecret.split("_secret_");
  try {
    const [counted, count] = (sessionStorage.getItem(DECLINED_CARDS) ?? "").split(" ");
    const declined = counted === id ? Number(count) + 1 : 1;
    sessionStorage.setItem(DECLINED_CARDS, `${id} ${declined}`);
    return declined;
  } catch {
    // The browser blocks storage.
    return 0;
  }
}
