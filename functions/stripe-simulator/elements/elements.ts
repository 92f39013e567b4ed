import type { Appearance, StripeElementsOptionsClientSecret, StripePaymentElementOptions } from "@stripe/stripe-js";
import { IntegrationError } from "./integration-error";
import { type PaymentElement, paymentElement } from "./payment-element";
import { isClientSecret } from "./setup-intent-requests";

export class Elements {
  readonly clientSecret: string;
  #payment: PaymentElement | null = null;

  constructor(
    readonly origin: string,
    readonly publishableKey: string,
    readonly options: StripeElementsOptionsClientSecret,
  ) {
    if (!isClientSecret(options.clientSecret)) {
      throw new IntegrationError(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Stripe's words.
        "Invalid value for elements(): clientSecret should be a client secret of the form ${id}_secret_${secret}.",
      );
    }
    this.clientSecret = options.clientSecret;
  }

  create(type: string, options: StripePaymentElementOptions = {}): PaymentElement {
    if (type !== "payment") throw new IntegrationError(`The simulator has no Element of type ${type}.`);
    if (this.#payment) throw new IntegrationError("Can only create one Element of type payment.");
    const { origin, publishableKey, clientSecret } = this;
    const { appearance = {}, locale = "auto" } = this.options;
    const context = { origin, publishableKey, clientSecret, locale, style: frameStyle(appearance) };
    const forget = () => {
      this.#payment = null;
    };
    this.#payment = paymentElement(context, options, forget);
    return this.#payment;
  }

  mountedPayment(): PaymentElement {
    if (this.#payment?.isReady()) return this.#payment;
    throw new IntegrationError(
      "Invalid value for stripe.confirmSetup(): elements should have a mounted Payment Element or Express Checkout Element.",
    );
  }
}

function frameStyle({ variables = {}, rules = {} }: Appearance): Record<string, string> {
  const given = {
    "--color-primary": variables.colorPrimary,
    "--color-text": variables.colorText,
    "--color-background": variables.colorBackground,
    "--color-danger": variables.colorDanger,
    "--border-radius": variables.borderRadius,
    "--font-family": variables.fontFamily,
    "--font-size": variables.fontSizeBase,
    "--color-border": rules[".Input"]?.borderColor,
    "--input-padding": rules[".Input"]?.padding,
    "--label-size": rules[".Label"]?.fontSize,
    "--label-weight": rules[".Label"]?.fontWeight,
  };
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
