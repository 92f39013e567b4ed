import type { Appearance, ConfirmSetupData, StripePaymentElementOptions } from "@stripe/stripe-js";
import { PaymentElement } from "./payment-element";
import { askStripe, intentId, type SetupResult } from "./setup-intent-requests";

/* `window.Stripe`, with the methods that a card setup with the Payment Element uses. */

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement)) throw new Error("Stripe.js has to be loaded by a script element.");
const { origin } = new URL(script.src);

type Options = { clientSecret: string; locale: string; appearance?: Appearance };

class Elements {
  payment: PaymentElement | undefined;

  constructor(
    readonly publishableKey: string,
    readonly options: Options,
  ) {}

  /** https://docs.stripe.com/js/elements_object/update */
  update({ appearance }: Partial<Options>): void {
    if (appearance) this.payment?.updateAppearance(appearance);
  }

  create(_type: "payment", options: StripePaymentElementOptions = {}): PaymentElement {
    this.payment = new PaymentElement({ origin, publishableKey: this.publishableKey, ...this.options }, options);
    return this.payment;
  }
}

type Confirmation = { elements: Elements; confirmParams?: Partial<ConfirmSetupData>; redirect?: "if_required" };

class SimulatedStripe {
  // react-stripe-js recognizes a Stripe object by these three functions and `elements`.
  readonly createToken = notSimulated;
  readonly createPaymentMethod = notSimulated;
  readonly confirmCardPayment = notSimulated;

  constructor(private readonly publishableKey: string) {}

  elements(options: Options): Elements {
    return new Elements(this.publishableKey, options);
  }

  retrieveSetupIntent(clientSecret: string): Promise<SetupResult> {
    return askStripe(origin, clientSecret, { key: this.publishableKey });
  }

  async confirmSetup({ elements, confirmParams = {}, redirect }: Confirmation): Promise<SetupResult> {
    const { payment, options } = elements;
    if (!payment || redirect !== "if_required") return notSimulated();
    const result = await payment.confirm(confirmParams);
    const action = result.setupIntent?.next_action;
    if (!action) return result;
    if (action.redirect_to_url) {
      window.location.assign(action.redirect_to_url.url);
      return new Promise(() => {});
    }
    await authenticateInDialog(options.clientSecret);
    const after = await this.retrieveSetupIntent(options.clientSecret);
    const failure = after.setupIntent?.last_setup_error;
    return failure ? { error: { ...failure, setup_intent: after.setupIntent } } : after;
  }
}

function notSimulated(): never {
  throw new Error("This call is not part of the simulator.");
}

/** Sent by the bank's page to its parent when it is done: pages/bank-page.ts. */
const DONE = "stripe-simulator:authenticated";

/** Shows the bank's page over this one until it is done, as Stripe.js does for 3-D Secure 2. */
function authenticateInDialog(clientSecret: string): Promise<void> {
  const dialog = document.createElement("dialog");
  const iframe = document.createElement("iframe");
  const name = "Authentication by your bank";
  dialog.ariaLabel = name;
  iframe.title = name;
  iframe.src = `${origin}/authenticate/${intentId(clientSecret)}/${encodeURIComponent(clientSecret)}`;
  // Restores the margins that center a dialog, which the page's CSS reset removes.
  Object.assign(dialog.style, { margin: "auto", padding: "0", width: "min(30rem, calc(100% - 2rem))" });
  Object.assign(iframe.style, { display: "block", width: "100%", height: "24rem", border: "0" });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.appendChild(iframe);
  document.body.appendChild(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    window.addEventListener("message", function onDone({ data, source }: MessageEvent<unknown>) {
      if (source !== iframe.contentWindow || data !== DONE) return;
      window.removeEventListener("message", onDone);
      dialog.remove();
      resolve();
    });
  });
}

const createStripe = (publishableKey: string) => new SimulatedStripe(publishableKey);

Object.assign(window, { Stripe: Object.assign(createStripe, { version: "endive" }) });
