import type { SetupIntentResult, Stripe, StripeError } from "@stripe/stripe-js";
import { counted } from "../../contract/counted";
import { MAX_FAILED_CARDS } from "../../contract/trial";
import { type Notice, PAYMENT_ERROR, paymentFailed } from "../notices";
import { TimeLimitExceeded, withTimeLimit } from "../timers";

/** How long Stripe may be silent about a card before the page asks for its setup, and how long that may take. */
const SILENCE_LIMIT_MS = 30_000;
const RETRIEVAL_LIMIT_MS = 10_000;

/** Stripe did not answer in time. It may have the card: then the next try leads on. */
const STRIPE_UNREACHABLE: Notice = {
  ...PAYMENT_ERROR,
  message: "Stripe did not answer, so your card may not be saved. Check your connection, then try again.",
};
/** The setup cannot take another card, so the server asks Stripe and decides the next step. `saved`: Stripe has the card. */
export type CardOutcome = "saved" | "ask the server";

/** Returns a notice if the card has to be entered again. Calls `onLate` if Stripe answers after `STRIPE_UNREACHABLE`. */
export async function confirmCard(
  stripe: Pick<Stripe, "retrieveSetupIntent">,
  clientSecret: string,
  confirm: () => Promise<SetupIntentResult>,
  onLate: (outcome: CardOutcome) => void,
): Promise<Notice | CardOutcome> {
  try {
    const confirming = confirm();
    const result = await answerTo(confirming, () => retrieveSetup(stripe, clientSecret));
    if (!result) {
      confirming.then(
        (late) => needsServer(late) && onLate(outcomeOf(late)),
        () => undefined,
      );
      return STRIPE_UNREACHABLE;
    }
    if (needsServer(result)) return outcomeOf(result);
    const { error } = result;
    const isSaidAtCard = SAID_BY_STRIPE.includes(error?.decline_code ?? error?.code ?? "");
    return paymentFailed(error?.message, triesLeft(declinedInThisTab(clientSecret, error)), isSaidAtCard);
  } catch {
    return PAYMENT_ERROR;
  }
}

function outcomeOf({ setupIntent }: SetupIntentResult): CardOutcome {
  return setupIntent?.status === "succeeded" ? "saved" : "ask the server";
}

/** Stripe's answer. Undefined if it is silent for 30 seconds, unless the bank is asking the visitor, which can take minutes. */
async function answerTo(confirming: Promise<SetupIntentResult>, retrieve: () => ReturnType<typeof retrieveSetup>) {
  for (;;) {
    try {
      return await withTimeLimit(SILENCE_LIMIT_MS, confirming);
    } catch (failure) {
      if (!(failure instanceof TimeLimitExceeded)) throw failure;
    }
    const found = await retrieve();
    if (typeof found === "string") return undefined;
    if (needsServer(found)) return found;
    if (found.setupIntent?.status !== "requires_action") return undefined;
  }
}

/** Stripe.js throws for a secret that does not look like one. */
export async function retrieveSetup(stripe: Pick<Stripe, "retrieveSetupIntent">, clientSecret: string) {
  try {
    return await withTimeLimit(RETRIEVAL_LIMIT_MS, stripe.retrieveSetupIntent(clientSecret));
  } catch (failure) {
    return failure instanceof TimeLimitExceeded ? "no answer" : "unknown to Stripe.js";
  }
}

/** Stripe's codes for which its fields say the message themselves: https://docs.stripe.com/payments/payment-element */
const SAID_BY_STRIPE = [
  ...["generic_decline", "insufficient_funds", "incorrect_cvc", "invalid_cvc", "expired_card", "fraudulent"],
  ...["lost_card", "stolen_card", "card_velocity_exceeded"],
];

const OUTDATED = ["setup_intent_unexpected_state", "resource_missing"];

export function needsServer({ setupIntent, error }: SetupIntentResult): boolean {
  const status = setupIntent?.status ?? error?.setup_intent?.status ?? "";
  return ["succeeded", "processing", "canceled"].includes(status) || OUTDATED.includes(error?.code ?? "");
}

const DECLINED_CARDS = "declined-cards";

/** How many cards were declined for this setup intent in this tab. Cards that were not tried do not count. */
function declinedInThisTab(clientSecret: string, error: StripeError | undefined): number {
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

/** Shown while two or fewer tries are left. Says "at most", because cards declined on other devices count too. */
function triesLeft(declined: number): string | undefined {
  const left = Math.max(MAX_FAILED_CARDS - declined, 0);
  if (left > 2 || left === 0) return undefined;
  return `You can try at most ${counted(left, "more card")}. We limit tries to keep stolen cards from being tested here.`;
}
