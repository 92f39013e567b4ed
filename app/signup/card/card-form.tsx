import { useLocation, useSubmit } from "@remix-run/react";
import { Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import type { Appearance, SetupIntent, Stripe, StripeError } from "@stripe/stripe-js";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { Button } from "../../ui/button";
import { type Notice, PAYMENT_ERROR, PROCESSING, paymentFailed } from "../notices";
import type { CardStepData } from "../steps";
import { billingDetails } from "./billing-details";
import { CardPlaceholder } from "./card-placeholder";
import { loadStripeClient } from "./load-stripe";

interface CardFormProps {
  data: CardStepData;
  onNotice(notice: Notice | undefined): void;
}

type Provider =
  | { state: "loading" }
  | { state: "failed" }
  | { state: "waiting"; message: string }
  | { state: "ready"; stripe: Stripe };

export default function CardForm({ data, onNotice }: CardFormProps) {
  const [provider, setProvider] = useState<Provider>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  const finish = useFinish();

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each attempt, whatever renders in between
  useEffect(() => {
    let current = true;
    // Stripe's return URL contains the client secret: remove it from the history.
    const returned = new URLSearchParams(window.location.search).has("setup_intent_client_secret");
    if (returned) window.history.replaceState(window.history.state, "", window.location.pathname);

    async function begin() {
      try {
        const stripe = await loadStripeClient(data.stripeJsUrl, data.publishableKey);
        const { setupIntent, error } = await stripe.retrieveSetupIntent(data.clientSecret);
        if (!current) return;
        if (error) {
          onNotice(paymentFailed(error.message));
          return setProvider({ state: "failed" });
        }
        if (setupIntent.status === "succeeded") return finish();
        if (setupIntent.status === "canceled") {
          return setProvider({ state: "waiting", message: "This sign-up was cancelled. Please start over." });
        }
        if (setupIntent.status === "processing") {
          return setProvider({
            state: "waiting",
            message: "Your bank is still processing the card. Please reload in a moment.",
          });
        }
        if (returned) onNotice(paymentFailed(setupIntent.last_setup_error?.message));
        setProvider({ state: "ready", stripe });
      } catch {
        if (!current) return;
        onNotice(paymentFailed("The payment form could not be loaded. Please check your connection and try again."));
        setProvider({ state: "failed" });
      }
    }
    void begin();
    return () => {
      current = false;
    };
  }, [attempt]);

  const options = useMemo(() => ({ clientSecret: data.clientSecret, appearance: appearance() }), [data.clientSecret]);

  if (provider.state === "ready") {
    return (
      <Elements key={data.clientSecret} stripe={provider.stripe} options={options}>
        <CardFields data={data} onNotice={onNotice} onSucceeded={finish} />
      </Elements>
    );
  }
  if (provider.state === "loading") return <CardPlaceholder />;
  if (provider.state === "waiting") return <p className="mt-6 font-semibold">{provider.message}</p>;
  const retry = () => {
    onNotice(undefined);
    setProvider({ state: "loading" });
    setAttempt(attempt + 1);
  };
  return (
    <Button size="lg" className="mt-6 w-full" onClick={retry}>
      Retry
    </Button>
  );
}

function useFinish() {
  const submit = useSubmit();
  // Without the query, which contains the client secret after Stripe's redirect.
  const { pathname } = useLocation();
  return () => submit({ intent: "card-set-up" }, { method: "post", action: pathname, replace: true });
}

function CardFields({ data, onNotice, onSucceeded }: CardFormProps & { onSucceeded(): void }) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [processing, setProcessing] = useState(false);
  const { elementOptions, confirmParams } = useMemo(() => billingDetails(data), [data]);

  async function pay(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements || processing) return;
    setProcessing(true);
    onNotice(PROCESSING_CARD);
    const failure = await confirm(() =>
      stripe.confirmSetup({
        elements,
        confirmParams: { return_url: data.returnUrl, ...confirmParams },
        redirect: "if_required",
      }),
    );
    if (!failure) return onSucceeded();
    onNotice(failure);
    setProcessing(false);
  }

  return (
    <form className="mt-6" onSubmit={pay}>
      <PaymentElement
        options={{ layout: "tabs", ...elementOptions }}
        onReady={() => setReady(true)}
        onLoadError={({ error }) => onNotice(paymentFailed(error.message))}
      />
      <Button type="submit" size="lg" className="mt-6 w-full" busy={processing} disabled={!ready || processing}>
        {processing ? "Processing..." : "Pay"}
      </Button>
    </form>
  );
}

const PROCESSING_CARD: Notice = { kind: "progress", title: PROCESSING.title };

/** Undefined when the card is set up. */
async function confirm(
  ask: () => Promise<{ setupIntent?: SetupIntent; error?: StripeError }>,
): Promise<Notice | undefined> {
  try {
    const { setupIntent, error } = await ask();
    if (error?.setup_intent?.status === "succeeded" || setupIntent?.status === "succeeded") return undefined;
    return paymentFailed(error?.message);
  } catch {
    return PAYMENT_ERROR;
  }
}

function appearance(): Appearance {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--color-${name}`).trim();
  return {
    theme: "stripe",
    variables: {
      colorPrimary: color("brand"),
      colorText: color("ink"),
      colorTextSecondary: color("muted"),
      colorBackground: color("raised"),
      colorDanger: color("danger"),
      borderRadius: "10px",
    },
  };
}
