import { useNavigate, useNavigation } from "@remix-run/react";
import { Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import type { Appearance, SetupIntent, Stripe, StripeError } from "@stripe/stripe-js";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { Button } from "../../ui/controls/button";
import { useSite } from "../../ui/use-site";
import { type Notice, PAYMENT_ERROR, PROCESSING, paymentFailed, triesLeft } from "../notices";
import type { CardStepData } from "../steps";
import { isOutdated, messageForVisitor } from "../stripe-errors";
import { billingDetails } from "./billing-details";
import { CARD_FIELDS, CardPlaceholder, LOADING, PayButton } from "./card-placeholder";
import { loadStripeClient } from "./load-stripe";

interface CardFormProps {
  data: CardStepData;
  onNotice(notice: Notice | undefined): void;
  /** Called when the card's fields can be filled in. */
  onReady(): void;
}

type Provider =
  | { state: "loading" | "failed" }
  /** The server was asked where the sign-up goes on; as long as its answer is not there, there is nothing to do. */
  | { state: "asked"; stripe: Stripe; data: CardStepData }
  | { state: "ready"; stripe: Stripe };

const NOT_LOADED = "The payment form could not be loaded. Please check your connection and try again.";

export default function CardForm({ data, onNotice, onReady }: CardFormProps) {
  const [provider, setProvider] = useState<Provider>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  const finish = useReturn(data.returnPath);

  function fail(error?: StripeError) {
    onNotice(paymentFailed(messageForVisitor(error) ?? NOT_LOADED));
    setProvider({ state: "failed" });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per attempt
  useEffect(() => {
    let current = true;
    async function begin() {
      try {
        const stripe = await loadStripeClient(data.stripeJsUrl, data.publishableKey);
        const { setupIntent, error } = await stripe.retrieveSetupIntent(data.clientSecret);
        if (!current) return;
        if (error && !isOutdated(error)) return fail(error);
        // The server asks Stripe too, and decides the next step.
        if (error || ["succeeded", "processing", "canceled"].includes(setupIntent.status)) {
          setProvider({ state: "asked", stripe, data });
          return finish();
        }
        setProvider({ state: "ready", stripe });
      } catch {
        if (current) fail();
      }
    }
    void begin();
    return () => {
      current = false;
    };
  }, [attempt]);

  const options = useMemo(
    // In the page's language, not the browser's.
    () => ({ clientSecret: data.clientSecret, appearance: appearance(), locale: "en" as const }),
    [data.clientSecret],
  );

  const isAnswered = provider.state === "asked" && provider.data !== data;
  if (provider.state === "ready" || isAnswered) {
    return (
      <Elements key={`${data.clientSecret} ${attempt}`} stripe={provider.stripe} options={options}>
        <CardFields data={data} onNotice={onNotice} onReady={onReady} onFinish={finish} onLoadError={fail} />
      </Elements>
    );
  }
  if (provider.state !== "failed") return <CardPlaceholder />;
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

/** Goes where the bank returns to: the server asks Stripe and decides the next step. */
function useReturn(path: string) {
  const navigate = useNavigate();
  return () => navigate(path, { replace: true });
}

interface CardFieldsProps {
  data: CardStepData;
  onNotice(notice: Notice | undefined): void;
  onReady(): void;
  /** Lets the server decide the next step. */
  onFinish(): void;
  onLoadError(error: StripeError): void;
}

function CardFields({ data, onNotice, onReady, onFinish, onLoadError }: CardFieldsProps) {
  const stripe = useStripe();
  const elements = useElements();
  const navigation = useNavigation();
  const { siteUrl } = useSite();
  const [ready, setReady] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [failures, setFailures] = useState(0);
  const { elementOptions, confirmParams } = useMemo(() => billingDetails(data), [data]);
  const processing = confirming || navigation.state !== "idle";
  useCanceled(stripe, data.clientSecret, processing ? 0 : failures, onFinish);

  async function pay(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements || processing) return;
    setConfirming(true);
    onNotice(PROCESSING_CARD);
    const result = await confirm(data.clientSecret, () =>
      stripe.confirmSetup({
        elements,
        confirmParams: { return_url: siteUrl + data.returnPath, ...confirmParams },
        redirect: "if_required",
      }),
    );
    if (result === "ask the server") onFinish();
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

/** Wallets give a card another fingerprint on each device, and each card has one trial. */
const CARD_ONLY = { applePay: "never", googlePay: "never", link: "never" } as const;

const LOOK_AFTER_FAILURE_MS = [1000, 3000, 8000];

/** Notices that too many declined cards have ended the sign-up, shortly after the last one. */
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

const PROCESSING_CARD: Notice = { kind: "progress", title: PROCESSING.title };

/** A notice if the card has to be entered again; otherwise the server checks the setup intent. */
async function confirm(
  clientSecret: string,
  ask: () => Promise<{ setupIntent?: SetupIntent; error?: StripeError }>,
): Promise<Notice | "ask the server"> {
  try {
    const { setupIntent, error } = await ask();
    const status = setupIntent?.status ?? error?.setup_intent?.status ?? "";
    const isOver = ["succeeded", "processing", "canceled"].includes(status) || (error && isOutdated(error));
    if (isOver) return "ask the server";
    return paymentFailed(messageForVisitor(error), triesLeft(countDeclined(clientSecret, error)));
  } catch {
    return PAYMENT_ERROR;
  }
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

/** Matches the form's fields (`.field` in signup.css). */
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
