import type { StripePaymentElementOptions } from "@stripe/stripe-js";
import type { BillingDetails, ConfirmRequest, FrameOptions, FromFrame } from "./frame-messages";
import { IntegrationError } from "./integration-error";
import { fetchSetupIntent, type SetupError, type SetupResult, UNREACHABLE } from "./setup-intent-requests";

type Context = {
  origin: string;
  publishableKey: string;
  clientSecret: string;
  locale: string;
  style: FrameOptions["style"];
};
type Handler = (event: object) => unknown;

const LOAD_TIMEOUT_MS = 15_000;

/** Its events: ready, loaderror, change. */
export class PaymentElement {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #context: Context;
  readonly #frameOptions: FrameOptions;
  readonly #defaults: BillingDetails;
  readonly #onDestroy: () => void;
  readonly #iframe = document.createElement("iframe");
  readonly #channel = new MessageChannel();
  isReady = false;

  constructor(context: Context, options: StripePaymentElementOptions, onDestroy: () => void) {
    const { publishableKey, style } = context;
    const shown = options.fields?.billingDetails;
    const address = typeof shown === "object" ? shown.address : shown;
    const { country, postalCode } = typeof address === "object" ? address : { country: address, postalCode: address };
    this.#context = context;
    this.#onDestroy = onDestroy;
    this.#defaults = options.defaultValues?.billingDetails ?? {};
    this.#frameOptions = {
      publishableKey,
      style,
      address: this.#defaults.address ?? {},
      asksCountry: country !== "never",
      asksPostalCode: postalCode !== "never",
    };
  }

  on(type: string, handler: Handler): this {
    this.#handlers.set(type, (this.#handlers.get(type) ?? new Set()).add(handler));
    return this;
  }

  off(type: string, handler: Handler): this {
    this.#handlers.get(type)?.delete(handler);
    return this;
  }

  mount(container: HTMLElement): void {
    const { origin, locale } = this.#context;
    const iframe = this.#iframe;
    iframe.title = "Secure payment input frame";
    iframe.src = `${origin}/elements/#locale=${locale}`;
    // Through the CSSOM: the page's content security policy allows no style attributes in markup.
    Object.assign(iframe.style, { display: "block", width: "100%", height: "0", border: "0", colorScheme: "light" });
    iframe.onload = () => iframe.contentWindow?.postMessage(this.#frameOptions, origin, [this.#channel.port2]);
    container.replaceChildren(iframe);
    void this.#load();
  }

  destroy(): void {
    this.isReady = false;
    this.#channel.port1.close();
    this.#iframe.remove();
    this.#onDestroy();
  }

  async confirm(clientSecret: string, returnUrl?: string, given: BillingDetails = {}): Promise<SetupResult> {
    if (!this.#frameOptions.asksCountry) requireDetail("country", given);
    if (!this.#frameOptions.asksPostalCode) requireDetail("postal_code", given);
    const address = { ...this.#defaults.address, ...given.address };
    const request: ConfirmRequest = {
      clientSecret,
      returnUrl,
      billingDetails: { ...this.#defaults, ...given, address },
    };
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }: MessageEvent<SetupResult>) => resolve(data);
      this.#channel.port1.postMessage(request, [port2]);
    });
  }

  async #load(): Promise<void> {
    const { origin, publishableKey, clientSecret } = this.#context;
    const frameIsReady = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), LOAD_TIMEOUT_MS);
      this.#channel.port1.onmessage = ({ data }: MessageEvent<FromFrame>) =>
        data.type === "ready" ? resolve(true) : this.#receive(data);
    });
    const { error, setupIntent } = await fetchSetupIntent(origin, publishableKey, clientSecret);
    const problem = error ?? unusable(setupIntent.status) ?? ((await frameIsReady) ? undefined : UNREACHABLE);
    if (!this.#iframe.isConnected) return;
    this.isReady = !problem;
    if (!problem) return this.#emit("ready");
    this.#iframe.remove();
    this.#emit("loaderror", { error: problem });
  }

  #receive({ type, ...message }: Exclude<FromFrame, { type: "ready" }>): void {
    if ("pixels" in message) this.#iframe.style.height = `${message.pixels}px`;
    else if (type === "change") this.#emit("change", { collapsed: false, ...message, value: { type: "card" } });
    else this.#iframe.closest("form")?.querySelector<HTMLButtonElement>("button:not([type]), [type=submit]")?.click();
  }

  #emit(type: string, event: object = {}): void {
    for (const handler of [...(this.#handlers.get(type) ?? [])]) handler({ elementType: "payment", ...event });
  }
}

function requireDetail(name: "country" | "postal_code", given: BillingDetails): void {
  if (given.address?.[name]) return;
  throw new IntegrationError(
    `You specified "never" for fields.billing_details.address.${name} when creating the payment Element, but did not pass confirmParams.payment_method_data.billing_details.address.${name} when calling stripe.confirmSetup().`,
  );
}

/** Stripe.js refuses finished intents. */
function unusable(status: string): SetupError | undefined {
  if (!["succeeded", "canceled", "processing"].includes(status)) return undefined;
  return {
    type: "invalid_request_error",
    code: "setup_intent_unexpected_state",
    message: "This SetupIntent is in a terminal state and cannot be used to initialize Elements.",
  };
}
