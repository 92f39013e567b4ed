import { useLocation, useSubmit } from "@remix-run/react";
import { Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import type { Appearance, SetupIntent, Stripe, StripeError } from "@stripe/stripe-js";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { Button } from "../../ui/controls/button";
import { PAYMENT_ERROR, paymentFailed } from "../later-notices";
import { type Notice, PROCESSING } from "../notices";
import type { CardStepData } from "../steps";
import { billingDetails } from "./billing-details";
import { CardPlaceholder } from "./card-placeholder";
import { loadStripeClient } from "./load-stripe";

interface CardFormProps {
  data: CardStepData;
  /** The reply to an earlier attempt to finish, if that failed. */
  failedReply: unknown;
  onNotice(notice: Notice | undefined): void;
}

type Provider = { state: "loading" } | { state: "failed" } | { state: "ready"; stripe: Stripe };

export default function CardForm({ data, failedReply, onNotice }: CardFormProps) {
  const [provider, setProvider] = useState<Provider>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  const finish = useFinish(data.returnToken);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each attempt, whatever renders in between
  useEffect(() => {
    let current = true;
    async function begin() {
      try {
        const stripe = await loadStripeClient(data.stripeJsUrl, data.publishableKey);
        const { setupIntent, error } = await stripe.retrieveSetupIntent(data.clientSecret);
        if (!current) return;
        if (error) {
          onNotice(paymentFailed(error.message));
          return setProvider({ state: "failed" });
        }
        // The server asks Stripe too, and decides where the sign-up goes on.
        if (["succeeded", "processing", "canceled"].includes(setupIntent.status)) return finish();
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

  const options = useMemo(
    // In the page's language, whatever the browser's is.
    () => ({ clientSecret: data.clientSecret, appearance: appearance(), locale: "en" as const }),
    [data.clientSecret],
  );

  if (provider.state === "ready") {
    return (
      <Elements key={data.clientSecret} stripe={provider.stripe} options={options}>
        <CardFields data={data} failedReply={failedReply} onNotice={onNotice} onSucceeded={finish} />
      </Elements>
    );
  }
  if (provider.state === "loading") return <CardPlaceholder />;
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

function useFinish(returnToken: string) {
  const submit = useSubmit();
  const { pathname } = useLocation();
  const form = { intent: "card-set-up", return_token: returnToken };
  return () => submit(form, { method: "post", action: pathname, replace: true });
}

function CardFields({ data, failedReply, onNotice, onSucceeded }: CardFormProps & { onSucceeded(): void }) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [processing, setProcessing] = useState(false);
  const { elementOptions, confirmParams } = useMemo(() => billingDetails(data), [data]);

  // A set-up that could not be reported can be tried again.
  useEffect(() => {
    if (failedReply !== undefined) setProcessing(false);
  }, [failedReply]);

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

/** Undefined when the card is set up, or its bank still processes it. */
async function confirm(
  ask: () => Promise<{ setupIntent?: SetupIntent; error?: StripeError }>,
): Promise<Notice | undefined> {
  try {
    const { setupIntent, error } = await ask();
    const status = setupIntent?.status ?? error?.setup_intent?.status ?? "";
    return ["succeeded", "processing"].includes(status) ? undefined : paymentFailed(error?.message);
  } catch {
    return PAYMENT_ERROR;
  }
}

/** That of the form's own fields (`.field` in signup.css). */
function appearance(): Appearance {
  const style = getComputedStyle(document.body);
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
      fontFamily: style.fontFamily,
      fontSizeBase: style.fontSize,
    },
    rules: {
      ".Input": { borderColor: color("line-strong"), boxShadow: "none", padding: "10px 14px" },
      ".Input:focus": { outline: `3px solid ${color("brand")}`, outlineOffset: "1px", boxShadow: "none" },
      ".Label": { fontSize: style.fontSize, fontWeight: "650" },
      ".Tab": { borderColor: color("line-strong"), boxShadow: "none" },
    },
  };
}
