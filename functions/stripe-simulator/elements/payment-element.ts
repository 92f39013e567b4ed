import type { ConfirmSetupData, StripePaymentElementOptions } from "@stripe/stripe-js";
import { askStripe, type ConfirmRequest, type SetupError, type SetupResult } from "./setup-intent-requests";

type Handler = (event: object) => unknown;
type Account = { origin: string; publishableKey: string; clientSecret: string; locale: string };

/** The card fields, in an iframe from the simulator's origin. */
export class PaymentElement {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #frame = document.createElement("iframe");

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
    const { origin, locale } = this.account;
    const asked = ["country", "postalCode"].filter((name) => this.#asks(name));
    const { postal_code = "" } = this.options.defaultValues?.billingDetails?.address ?? {};
    const query = new URLSearchParams([...asked.map((name) => ["asks", name]), ["postal_code", postal_code]]);
    this.#frame.title = "Secure payment input frame";
    this.#frame.src = `${origin}/elements?${query}#locale=${locale}`;
    // Set through the CSSOM, because the page's Content-Security-Policy allows no style attributes in markup.
    const height = asked.length > 0 ? "27rem" : "21rem";
    Object.assign(this.#frame.style, { display: "block", width: "100%", height, border: "0", colorScheme: "light" });
    this.#frame.onload = () => void this.#begin();
    container.replaceChildren(this.#frame);
  }

  destroy(): void {
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

  /** https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
  #asks(name: string): boolean {
    const fields: unknown = this.options.fields?.billingDetails;
    const address: unknown = Reflect.get(Object(fields), "address");
    return [fields, address, Reflect.get(Object(address), name)].every((option) => option !== "never");
  }

  async #begin(): Promise<void> {
    const { origin, publishableKey, clientSecret } = this.account;
    const { error, setupIntent } = await askStripe(origin, clientSecret, { key: publishableKey });
    const isOver = setupIntent && ["succeeded", "processing", "canceled"].includes(setupIntent.status);
    const problem = isOver ? TERMINAL_STATE : error;
    if (!this.#frame.isConnected) return;
    if (problem) this.#frame.remove();
    const event = { elementType: "payment", error: problem };
    for (const handler of this.#handlers.get(problem ? "loaderror" : "ready") ?? []) handler(event);
  }
}

const TERMINAL_STATE: SetupError = {
  type: "invalid_request_error",
  code: "setup_intent_unexpected_state",
  message: "This SetupIntent is in a terminal state and cannot be used to initialize Elements.",
};
