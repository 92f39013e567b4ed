import type { ConfirmSetupData, StripeElementsOptionsClientSecret } from "@stripe/stripe-js";
import { authenticateInDialog } from "./bank-dialog";
import { Elements } from "./elements";
import { IntegrationError } from "./integration-error";
import { withOutcome } from "./outcome-url";
import { fetchSetupIntent, isClientSecret, type SetupResult } from "./setup-intent-requests";

/* `window.Stripe`, with the methods that a card setup by the Payment Element calls. */

type ConfirmOptions = {
  elements?: unknown;
  confirmParams?: Partial<ConfirmSetupData>;
  redirect?: "always" | "if_required";
};

class SimulatedStripe {
  // By these three functions react-stripe-js recognizes Stripe.
  readonly createToken = notSimulated;
  readonly createPaymentMethod = notSimulated;
  readonly confirmCardPayment = notSimulated;

  constructor(
    readonly origin: string,
    readonly publishableKey: string,
  ) {}

  elements(options: StripeElementsOptionsClientSecret = {}): Elements {
    return new Elements(this.origin, this.publishableKey, options);
  }

  async retrieveSetupIntent(clientSecret: string): Promise<SetupResult> {
    if (!isClientSecret(clientSecret)) {
      throw new IntegrationError(
        "Invalid value for stripe.retrieveSetupIntent intent secret: value should be a client_secret string.",
      );
    }
    return fetchSetupIntent(this.origin, this.publishableKey, clientSecret);
  }

  async confirmSetup({ elements, confirmParams, redirect }: ConfirmOptions): Promise<SetupResult> {
    if (!(elements instanceof Elements)) {
      throw new IntegrationError("Invalid value for stripe.confirmSetup(): elements should be an object.");
    }
    const { return_url: returnUrl, payment_method_data } = confirmParams ?? {};
    if (redirect !== "if_required" && returnUrl === undefined) {
      throw new IntegrationError("stripe.confirmSetup(): expected confirmParams to contain return_url.");
    }
    const { clientSecret } = elements;
    const payment = elements.mountedPayment();
    let result = await payment.confirm(returnUrl, payment_method_data?.billing_details);
    const action = result.setupIntent?.next_action;
    if (action?.redirect_to_url) return leaveFor(action.redirect_to_url.url);
    if (action) result = await this.#authenticate(clientSecret);
    if (result.error || redirect === "if_required" || returnUrl === undefined) return result;
    return leaveFor(withOutcome(returnUrl, result.setupIntent, true));
  }

  async #authenticate(clientSecret: string): Promise<SetupResult> {
    await authenticateInDialog(this.origin, clientSecret);
    const result = await this.retrieveSetupIntent(clientSecret);
    const failure = result.setupIntent?.last_setup_error;
    return failure ? { error: { ...failure, setup_intent: result.setupIntent } } : result;
  }
}

/** Never settles: the page is being left. */
function leaveFor(url: string): Promise<never> {
  window.location.assign(url);
  return new Promise(() => {});
}

function notSimulated(): never {
  throw new IntegrationError("This call is not part of the simulator.");
}

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement)) throw new Error("Stripe.js has to be loaded by a script element.");
const { origin } = new URL(script.src);

function createStripe(publishableKey: string): SimulatedStripe {
  if (typeof publishableKey !== "string" || !/^pk_test_\w+$/.test(publishableKey)) {
    throw new IntegrationError(
      "Please call Stripe() with your publishable key. You used an empty string or another key.",
    );
  }
  return new SimulatedStripe(origin, publishableKey);
}

Object.assign(window, { Stripe: Object.assign(createStripe, { version: "endive" }) });
