import type { Appearance, ConfirmSetupData, StripePaymentElementOptions } from "@stripe/stripe-js";
import {
  askStripe,
  type ConfirmRequest,
  type FrameHeight,
  type FrameMessage,
  type SetupError,
  type SetupResult,
} from "./setup-intent-requests";

type Handler = (event: object) => unknown;
type Account = {
  origin: string;
  publishableKey: string;
  clientSecret: string;
  locale: string;
  appearance?: Appearance;
};

export class PaymentElement {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #frame = document.createElement("iframe");
  #isLoaded = false;

  constructor(
    private readonly account: Account,
    private readonly options: StripePaymentElementOptions,
  ) {}

  on(type: string, handler: Handler): void {
    this.#handlers.set(type, (this.#handlers.get(type) ?? new Set()).add(handler));
  }

  off(type: string, handler: Handler): void {
    this.#handlers.get(type)?.delete(handler);
  }

  mount(container: HTMLElement): void {
    const { origin, locale, appearance = {} } = this.account;
    const asked = ["country", "postalCode"].filter((name) => this.#asks(name));
    const { postal_code = "" } = this.options.defaultValues?.billingDetails?.address ?? {};
    const query = new URLSearchParams([...asked.map((name) => ["asks", name]), ["postal_code", postal_code]]);
    this.#frame.title = "Secure payment input frame";
    const hash = new URLSearchParams({ locale, appearance: JSON.stringify(appearance) });
    this.#frame.src = `${origin}/elements?${query}#${hash}`;
    // Set through the CSSOM, because the page's Content-Security-Policy allows no style attributes in markup.
    this.#frame.style.cssText = FRAME_STYLE;
    window.addEventListener("message", this.#onMessage);
    this.#frame.onload = () => {
      this.#isLoaded = true;
      this.#showAppearance();
      void this.#begin();
    };
    container.appendChild(this.#frame);
  }

  updateAppearance(appearance: Appearance): void {
    this.account.appearance = appearance;
    if (this.#isLoaded) this.#showAppearance();
  }

  destroy(): void {
    window.removeEventListener("message", this.#onMessage);
    this.#frame.remove();
  }

  confirm({ return_url = "", payment_method_data = {} }: Partial<ConfirmSetupData>): Promise<SetupResult> {
    const { origin, publishableKey, clientSecret } = this.account;
    const given = payment_method_data.billing_details ?? {};
    const defaults = this.options.defaultValues?.billingDetails ?? {};
    const billingDetails = { ...defaults, ...given, address: { ...defaults.address, ...given.address } };
    const request: ConfirmRequest = { publishableKey, clientSecret, returnUrl: return_url, billingDetails };
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }: MessageEvent<SetupResult>) => resolve(data);
      this.#frame.contentWindow?.postMessage(request, origin, [port2]);
    });
  }

  readonly #onMessage = ({ data, source }: MessageEvent<FrameHeight>): void => {
    if (source === this.#frame.contentWindow) this.#frame.style.height = `${data.height}px`;
  };

  /** https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
  #asks(name: string): boolean {
    const fields: unknown = this.options.fields?.billingDetails;
    const address: unknown = Reflect.get(Object(fields), "address");
    return [fields, address, Reflect.get(Object(address), name)].every((option) => option !== "never");
  }

  #showAppearance(): void {
    const message: FrameMessage = { appearance: this.account.appearance ?? {} };
    this.#frame.contentWindow?.postMessage(message, this.account.origin);
  }

  async #begin(): Promise<void> {
    const { origin, publishableKey, clientSecret } = this.account;
    const { error, setupIntent } = await askStripe(origin, clientSecret, { key: publishableKey });
    const isTerminal = setupIntent && ["succeeded", "processing", "canceled"].includes(setupIntent.status);
    const problem = isTerminal ? TERMINAL_STATE : error;
    if (!this.#frame.isConnected) return;
    if (problem) this.#frame.remove();
    const event = { elementType: "payment", error: problem };
    for (const handler of this.#handlers.get(problem ? "loaderror" : "ready") ?? []) handler(event);
  }
}

// As Stripe.js sets it, with a margin for a focused field's outline. `light only` keeps it transparent on a dark page:
// https://github.com/stripe/react-stripe-js/issues/257
const FRAME_STYLE =
  "display: block; width: calc(100% + 8px); min-width: 100%; margin: -4px; border: 0; overflow: hidden; color-scheme: light only !important";

const TERMINAL_STATE: SetupError = {
  type: "invalid_request_error",
  code: "setup_intent_unexpected_state",
  message: "This SetupIntent is in a terminal state and cannot be used to initialize Elements.",
};
