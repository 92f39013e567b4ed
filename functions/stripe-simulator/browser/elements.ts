import type {
  Appearance,
  StripeElements,
  StripeElementsOptionsClientSecret,
  StripeElementsUpdateOptions,
  StripePaymentElementOptions,
} from "@stripe/stripe-js";
import { IntegrationError } from "./integration-error";
import { PaymentElement } from "./payment-element";
import { isClientSecret } from "./rest";

/** Names of the appearance variables in the frame, and of what its rules may set. */
const VARIABLES = {
  colorPrimary: "--color-primary",
  colorText: "--color-text",
  colorBackground: "--color-background",
  colorDanger: "--color-danger",
  borderRadius: "--border-radius",
  fontFamily: "--font-family",
  fontSizeBase: "--font-size",
} as const;
const RULES = [
  [".Input", "borderColor", "--color-border"],
  [".Input", "padding", "--input-padding"],
  [".Label", "fontSize", "--label-size"],
  [".Label", "fontWeight", "--label-weight"],
] as const;

export class Elements implements Pick<StripeElements, "update" | "submit"> {
  readonly clientSecret: string;
  readonly #origin: string;
  readonly #publishableKey: string;
  readonly #locale: string;
  #appearance: Appearance;
  #payment: PaymentElement | null = null;

  constructor(origin: string, publishableKey: string, options: StripeElementsOptionsClientSecret) {
    if (!isClientSecret(options.clientSecret)) {
      throw new IntegrationError(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Stripe's words.
        "Invalid value for elements(): clientSecret should be a client secret of the form ${id}_secret_${secret}.",
      );
    }
    this.clientSecret = options.clientSecret;
    this.#origin = origin;
    this.#publishableKey = publishableKey;
    this.#locale = options.locale ?? "auto";
    this.#appearance = options.appearance ?? {};
  }

  create(type: string, options: StripePaymentElementOptions = {}): PaymentElement {
    if (type !== "payment") throw new IntegrationError(`The simulator has no Element of type ${type}.`);
    if (this.#payment) throw new IntegrationError("Can only create one Element of type payment.");
    this.#payment = new PaymentElement(
      {
        origin: this.#origin,
        publishableKey: this.#publishableKey,
        clientSecret: this.clientSecret,
        locale: this.#locale,
        style: () => frameStyle(this.#appearance),
        onDestroy: () => {
          this.#payment = null;
        },
      },
      options,
    );
    return this.#payment;
  }

  getElement(type: string | object): PaymentElement | null {
    return type === "payment" ? this.#payment : null;
  }

  async update(options: StripeElementsUpdateOptions): Promise<void> {
    this.#appearance = { ...this.#appearance, ...options.appearance };
    this.#payment?.refresh();
  }

  async submit() {
    const error = await this.mountedPayment("elements.submit()").validate();
    return error ? { error } : { selectedPaymentMethod: "card" };
  }

  mountedPayment(caller: string): PaymentElement {
    if (this.#payment?.isReady) return this.#payment;
    throw new IntegrationError(
      `Invalid value for ${caller}: elements should have a mounted Payment Element or Express Checkout Element.`,
    );
  }
}

function frameStyle({ variables = {}, rules = {} }: Appearance): Record<string, string> {
  const style: Record<string, string> = {};
  for (const [name, property] of Object.entries(VARIABLES)) {
    const value: unknown = Reflect.get(variables, name);
    if (typeof value === "string") style[property] = value;
  }
  for (const [selector, name, property] of RULES) {
    const value = rules[selector]?.[name];
    if (value !== undefined) style[property] = value;
  }
  return style;
}
