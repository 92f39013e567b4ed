import { PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import type { Stripe, StripeError } from "@stripe/stripe-js";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { useSite } from "../../ui/use-site";
import { type Notice, PROCESSING_CARD } from "../notices";
import { useIsReturning } from "../requests/step-checks";
import type { CardStepData } from "../steps";
import { billingDetails } from "./billing-details";
import { CARD_FIELDS, LOADING } from "./card-placeholder";
import { type CardOutcome, confirmCard } from "./confirm-card";
import { useLoadingTimeout } from "./load-stripe-js";
import { PayButton } from "./pay-button";

export interface CardFieldsProps {
  data: CardStepData;
  onNotice(notice: Notice | undefined): void;
  onReady(): void;
  onSaved(): void;
}

interface PaymentFormProps extends CardFieldsProps {
  onFinish(): void;
  /** Called without an error if the fields take too long, for example because an extension blocks their frame. */
  onLoadError(error?: StripeError): void;
}

export function PaymentForm({ data, onNotice, onReady, onSaved, onFinish, onLoadError }: PaymentFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const { siteUrl } = useSite();
  const [ready, setReady] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [failures, setFailures] = useState(0);
  const { elementOptions, confirmParams } = useMemo(() => billingDetails(data), [data]);
  const processing = useIsReturning() || confirming;
  useLoadingTimeout(ready, onLoadError);
  useCanceled(stripe, data.clientSecret, processing ? 0 : failures, onFinish);

  function finish(outcome: CardOutcome) {
    if (outcome === "saved") onSaved();
    onFinish();
  }

  async function pay(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements || !ready || processing) return;
    setConfirming(true);
    onNotice(PROCESSING_CARD);
    const return_url = siteUrl + data.returnPath;
    const confirm = () =>
      stripe.confirmSetup({ elements, confirmParams: { return_url, ...confirmParams }, redirect: "if_required" });
    const result = await confirmCard(stripe, data.clientSecret, confirm, finish);
    // The button stays busy between the card and the next step, so that the focus does not come back to it before it goes.
    if (typeof result === "string") finish(result);
    else {
      onNotice(result);
      setFailures(failures + 1);
    }
    setConfirming(false);
  }

  return (
    <form className="mt-6" aria-labelledby="card-entry" onSubmit={pay}>
      <div className={`${CARD_FIELDS} ${ready ? "" : LOADING}`}>
        <PaymentElement
          options={{ layout: "tabs", wallets: CARD_ONLY, ...elementOptions }}
          onReady={() => {
            setReady(true);
            onReady();
          }}
          onLoadError={({ error }) => onLoadError(error)}
        />
      </div>
      <PayButton busy={processing} disabled={!ready} />
    </form>
  );
}

/** No wallets: they give a card a different fingerprint on each device, but each card can have only one trial. */
const CARD_ONLY = { applePay: "never", googlePay: "never", link: "never" } as const;

const LOOK_AFTER_FAILURE_MS = [1000, 3000, 8000];

function useCanceled(stripe: Stripe | null, clientSecret: string, failures: number, onCanceled: () => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per failed card
  useEffect(() => {
    if (!stripe || failures === 0) return;
    async function look() {
      const { setupIntent } = (await stripe?.retrieveSetupIntent(clientSecret)) ?? {};
      if (setupIntent?.status !== "canceled") return;
      stop();
      onCanceled();
    }
    const timers = LOOK_AFTER_FAILURE_MS.map((delay) => setTimeout(() => look().catch(() => undefined), delay));
    const stop = () => timers.forEach(clearTimeout);
    return stop;
  }, [failures]);
}
