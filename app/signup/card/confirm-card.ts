import type { SetupIntentResult, StripeError } from "@stripe/stripe-js";
import { type Notice, PAYMENT_ERROR, paymentFailed, triesLeft } from "../notices";

/** Confirms the card. Returns a notice if it has to be entered again; otherwise the server asks Stripe and decides the next step. */
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

/** Stripe's codes for a setup that has changed elsewhere, and for an unknown setup. */
const OUTDATED = ["setup_intent_unexpected_state", "resource_missing"];

/** True if the setup cannot take a card now. The server then has to find out why. */
export function isOver({ setupIntent, error }: SetupIntentResult): boolean {
  const status = setupIntent?.status ?? error?.setup_intent?.status ?? "";
  return ["succeeded", "processing", "canceled"].includes(status) || OUTDATED.includes(error?.code ?? "");
}

const DECLINED_CARDS = "declined-cards";

/** How many cards have been declined for this setup intent in this tab, across reloads. Cards that were not tried do not count. */
function countDeclined(clientSecret: string, error: StripeError | undefined): number {
  if (error?.type !== "card_error" && error?.code !== "setup_intent_authentication_failure") return 0;
  const [id] = clientSecret.split("_secret_");
  try {
    const [counted, count] = (sessionStorage.getItem(DECLINED_CARDS) ?? "").split(" ");
    const declined = counted === id ? Number(count) + 1 : 1;
    sessionStorage.setItem(DECLINED_CARDS, `${id} ${declined}`);
    return declined;
  } catch {
    // Storage is blocked, so declined cards cannot be counted.
    return 0;
  }
}
