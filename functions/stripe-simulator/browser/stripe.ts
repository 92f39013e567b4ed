import type {
  ConfirmSetupData,
  SetupIntentResult,
  Stripe,
  StripeElementsOptionsClientSecret,
  StripeError,
} from "@stripe/stripe-js";
import { authenticateInDialog } from "./dialog";
import { Elements } from "./elements";
import { IntegrationError } from "./integration-error";
import { fetchSetupIntent, isClientSecret } from "./rest";
import { withOutcome } from "./return-url";

/* `window.Stripe`, as far as a card setup with the Payment Element needs it. */

type ConfirmOptions = {
  elements?: unknown;
  clientSecret?: string;
  confirmParams?: Partial<ConfirmSetupData>;
  redirect?: "always" | "if_required";
};

class SimulatedStripe implements Pick<Stripe, "confirmSetup" | "retrieveSetupIntent" | "registerAppInfo"> {
  // By these three functions react-stripe-js recognizes Stripe.
  readonly createToken = notSimulated("createToken");
  readonly createPaymentMethod = notSimulated("createPaymentMethod");
  readonly confirmCardPayment = notSimulated("confirmCardPayment");

  constructor(
    readonly origin: string,
    readonly publishableKey: string,
  ) {}

  elements(options: StripeElementsOptionsClientSecret = {}): Elements {
    return new Elements(this.origin, this.publishableKey, options);
  }

  async retrieveSetupIntent(clientSecret: string): Promise<SetupIntentResult> {
    if (!isClientSecret(clientSecret)) {
      throw new IntegrationError(
        "Invalid value for stripe.retrieveSetupIntent intent secret: value should be a client_secret string.",
      );
    }
    return fetchSetupIntent(this.origin, this.publishableKey, clientSecret);
  }

  confirmSetup(options: ConfirmOptions & { redirect: "if_required" }): Promise<SetupIntentResult>;
  confirmSetup(options: ConfirmOptions): Promise<never | { error: StripeError }>;
  async confirmSetup(options: ConfirmOptions): Promise<SetupIntentResult> {
    const { elements, confirmParams } = options;
    if (!(elements instanceof Elements)) {
      throw new IntegrationError("Invalid value for stripe.confirmSetup(): elements should be an object.");
    }
    const redirects = options.redirect !== "if_required";
    const returnUrl = confirmParams?.return_url;
    if (redirects && returnUrl === undefined) {
      throw new IntegrationError("stripe.confirmSetup(): expected confirmParams to contain return_url.");
    }

    const payment = elements.mountedPayment("stripe.confirmSetup()");
    const result = await payment.confirm(
      options.clientSecret ?? elements.clientSecret,
      returnUrl,
      confirmParams?.payment_method_data?.billing_details,
    );
    if (result.error) return result;

    const bankPage = result.setupIntent.next_action?.redirect_to_url?.url;
    if (bankPage) return leaveFor(bankPage);
    const { setupIntent, error } = result.setupIntent.next_action
      ? await this.#authenticate(elements.clientSecret)
      : result;
    if (error) return { error };
    if (redirects && returnUrl !== undefined) return leaveFor(withOutcome(returnUrl, setupIntent, true));
    return { setupIntent };
  }

  async #authenticate(clientSecret: string): Promise<SetupIntentResult> {
    await authenticateInDialog(this.origin, clientSecret);
    const result = await this.retrieveSetupIntent(clientSecret);
    const failure = result.setupIntent?.last_setup_error;
    return failure ? { error: { ...failure, setup_intent: result.setupIntent } } : result;
  }

  registerAppInfo(): void {}

  _registerWrapper(): void {}
}

/** Never settles: the page is being left. */
function leaveFor(url: string): Promise<never> {
  window.location.assign(url);
  return new Promise(() => {});
}

function notSimulated(name: string): () => never {
  return () => {
    throw new IntegrationError(`stripe.${name}() is not part of the simulator.`);
  };
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
