import { useNavigate, useNavigation } from "@remix-run/react";
import { Elements } from "@stripe/react-stripe-js";
import type { Stripe, StripeError } from "@stripe/stripe-js";
import { Component, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { PAYMENT_ERROR, PAYMENT_FORM_NOT_LOADED } from "../notices";
import { useCardAppearance } from "./card-appearance";
import { CardPlaceholder } from "./card-placeholder";
import { needsServer, retrieveSetup } from "./confirm-card";
import { loadStripeClient } from "./load-stripe-js";
import { type CardFieldsProps, PaymentForm } from "./payment-form";

/** Loads Stripe's client once, because `<Elements>` keeps its first client. Each try mounts the fields again. */
export default function StripeElements({ data, onNotice, onReady, onSaved }: CardFieldsProps) {
  const { clientSecret, publishableKey, returnPath, stripeJsUrl } = data;
  const [stripe, setStripe] = useState<Stripe>();
  const [attempt, setAttempt] = useState(1);
  const [failed, setFailed] = useState(false);
  const isMounted = useIsMounted();
  const isIdle = useNavigation().state === "idle";
  const navigate = useNavigate();
  const letServerDecide = () => navigate(returnPath, { replace: true });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each attempt
  useEffect(() => {
    if (stripe) return;
    loadStripeClient(stripeJsUrl, publishableKey).then(setStripe, () => fail());
  }, [attempt]);

  function fail(error?: StripeError) {
    if (!isMounted.current) return;
    setFailed(true);
    onNotice(error?.message ? { ...PAYMENT_ERROR, message: error.message } : PAYMENT_FORM_NOT_LOADED);
  }

  /** Stripe's fields fail if the setup is over, maybe because of another tab, or if they could not be loaded. */
  async function onLoadError(client: Stripe, error?: StripeError) {
    const found = await retrieveSetup(client, clientSecret);
    if (found !== "unknown to Stripe.js" && (found === "no answer" || !needsServer(found))) return fail(error);
    if (!isMounted.current) return;
    setFailed(true);
    letServerDecide();
  }

  function tryAgain() {
    onNotice(undefined);
    setFailed(false);
    setAttempt(attempt + 1);
  }

  const appearance = useCardAppearance();
  const options = useMemo(
    // The locale is the page's language, not the browser's.
    () => ({ clientSecret, appearance, locale: "en" as const }),
    [clientSecret, appearance],
  );

  if (failed || !stripe) return <CardPlaceholder onTryAgain={failed && isIdle ? tryAgain : undefined} />;
  return (
    <LoadErrorBoundary key={attempt} onError={() => onLoadError(stripe)}>
      <Elements stripe={stripe} options={options}>
        <PaymentForm
          data={data}
          onNotice={onNotice}
          onReady={onReady}
          onSaved={onSaved}
          onFinish={letServerDecide}
          onLoadError={(error) => onLoadError(stripe, error)}
        />
      </Elements>
    </LoadErrorBoundary>
  );
}

/** `<Elements>` calls `stripe.elements()` while it renders, which may throw. */
class LoadErrorBoundary extends Component<{ onError(): void; children: ReactNode }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch() {
    this.props.onError();
  }

  override render() {
    return this.state.hasFailed ? <CardPlaceholder /> : this.props.children;
  }
}

function useIsMounted() {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
