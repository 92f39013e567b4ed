import type {
  SetupIntentResult,
  StripeError,
  StripePaymentElement,
  StripePaymentElementOptions,
} from "@stripe/stripe-js";
import { ElementEvents } from "./element-events";
import { IntegrationError } from "./integration-error";
import { type BillingDetails, CONNECT, type FrameOptions, type FromFrame, type ToFrame } from "./protocol";
import { fetchSetupIntent } from "./rest";

export type ElementContext = {
  origin: string;
  publishableKey: string;
  clientSecret: string;
  locale: string;
  style: () => Record<string, string>;
  onDestroy: () => void;
};

type Mounted = { iframe: HTMLIFrameElement; port: MessagePort; ready: boolean };

const LOAD_TIMEOUT_MS = 15_000;

const UNREACHABLE: StripeError = {
  type: "api_connection_error",
  message: "An error occurred with our connection to Stripe.",
};

export class PaymentElement extends ElementEvents implements StripePaymentElement {
  readonly #context: ElementContext;
  readonly #waiting = new Map<number, (answer: FromFrame) => void>();
  #options: StripePaymentElementOptions;
  #mounted: Mounted | undefined;
  #destroyed = false;

  constructor(context: ElementContext, options: StripePaymentElementOptions) {
    super();
    this.#context = context;
    this.#options = options;
  }

  get isReady(): boolean {
    return this.#mounted?.ready === true;
  }

  mount(target: string | HTMLElement): void {
    if (this.#destroyed)
      throw new IntegrationError("This Element has already been destroyed. Please create a new one.");
    const container = typeof target === "string" ? document.querySelector(target) : target;
    if (!(container instanceof HTMLElement)) {
      throw new IntegrationError(
        "The selector you specified applies to no DOM elements that are currently on the page.",
      );
    }
    this.unmount();
    const { port1, port2 } = new MessageChannel();
    const iframe = this.#makeFrame(port2);
    const mounted: Mounted = { iframe, port: port1, ready: false };
    this.#mounted = mounted;
    container.replaceChildren(iframe);
    container.classList.add("StripeElement");
    setTimeout(() => this.emit("loaderstart", { elementType: "payment" }));
    void this.#load(mounted);
  }

  unmount(): void {
    const mounted = this.#mounted;
    if (!mounted) return;
    this.#mounted = undefined;
    mounted.port.close();
    mounted.iframe.parentElement?.classList.remove("StripeElement");
    mounted.iframe.remove();
  }

  destroy(): void {
    this.unmount();
    this.#destroyed = true;
    this.#context.onDestroy();
  }

  focus(): void {
    this.#mounted?.iframe.focus();
    this.#post({ type: "focus" });
  }

  blur(): void {
    this.#post({ type: "blur" });
  }

  clear(): void {
    this.#post({ type: "clear" });
  }

  collapse(): this {
    return this;
  }

  update(options: Partial<StripePaymentElementOptions>): this {
    this.#options = { ...this.#options, ...options };
    this.refresh();
    return this;
  }

  refresh(): void {
    this.#post({ type: "options", options: this.#frameOptions() });
  }

  async validate(): Promise<StripeError | undefined> {
    const answer = await this.#ask((id) => ({ type: "validate", id }));
    return answer?.type === "validated" ? answer.error : UNREACHABLE;
  }

  async confirm(clientSecret: string, returnUrl?: string, billingDetails?: BillingDetails): Promise<SetupIntentResult> {
    const { asksCountry, asksPostalCode } = this.#frameOptions();
    if (!asksCountry) requireDetail("country", billingDetails);
    if (!asksPostalCode) requireDetail("postal_code", billingDetails);
    const answer = await this.#ask((id) => ({ type: "confirm", id, clientSecret, returnUrl, billingDetails }));
    return answer?.type === "confirmed" ? answer.result : { error: UNREACHABLE };
  }

  #makeFrame(port: MessagePort): HTMLIFrameElement {
    const iframe = document.createElement("iframe");
    iframe.title = "Secure payment input frame";
    iframe.src = `${this.#context.origin}/elements/#locale=${this.#context.locale}`;
    // Through the CSSOM: the page's content security policy allows no style attributes in markup.
    Object.assign(iframe.style, { display: "block", width: "100%", height: "0", border: "0", colorScheme: "light" });
    iframe.addEventListener("load", () => iframe.contentWindow?.postMessage(CONNECT, this.#context.origin, [port]), {
      once: true,
    });
    return iframe;
  }

  async #load(mounted: Mounted): Promise<void> {
    const { origin, publishableKey, clientSecret } = this.#context;
    const frameIsReady = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), LOAD_TIMEOUT_MS);
      mounted.port.onmessage = ({ data }: MessageEvent<FromFrame>) =>
        data.type === "ready" ? resolve(true) : this.#receive(mounted, data);
    });
    const result = await fetchSetupIntent(origin, publishableKey, clientSecret);
    const error =
      result.error ?? unusable(result.setupIntent.status) ?? ((await frameIsReady) ? undefined : UNREACHABLE);
    if (this.#mounted !== mounted) return;
    if (error) {
      this.unmount();
      this.emit("loaderror", { elementType: "payment", error });
      return;
    }
    mounted.ready = true;
    this.refresh();
    this.emit("ready", { elementType: "payment" });
  }

  #receive({ iframe }: Mounted, message: FromFrame): void {
    switch (message.type) {
      case "height":
        iframe.style.height = `${message.pixels}px`;
        break;
      case "change":
        this.emit("change", changeOf(message));
        break;
      case "focus":
      case "blur":
      case "escape":
        this.emit(message.type, { elementType: "payment" });
        break;
      case "submit":
        submitButton(iframe)?.click();
        break;
      case "validated":
      case "confirmed":
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
        break;
    }
  }

  #ask(question: (id: number) => ToFrame): Promise<FromFrame | undefined> {
    if (!this.isReady) return Promise.resolve(undefined);
    const id = Math.random();
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#post(question(id));
    });
  }

  #post(message: ToFrame): void {
    if (this.isReady) this.#mounted?.port.postMessage(message);
  }

  #frameOptions(): FrameOptions {
    const { defaultValues, fields, readOnly = false, terms, business } = this.#options;
    const billingDetails = defaultValues?.billingDetails ?? {};
    const shown = fields?.billingDetails;
    const address = typeof shown === "object" ? shown.address : shown;
    const country = typeof address === "object" ? address.country : address;
    const postalCode = typeof address === "object" ? address.postalCode : address;
    return {
      publishableKey: this.#context.publishableKey,
      style: this.#context.style(),
      billingDetails,
      asksCountry: country !== "never",
      asksPostalCode: postalCode !== "never",
      readOnly,
      mandate: terms?.card === "never" ? "" : mandateOf(business?.name ?? "this business"),
    };
  }
}

function changeOf({ empty, complete, country, postalCode }: Extract<FromFrame, { type: "change" }>) {
  const value = { type: "card", billingDetails: { address: { country, postalCode } } };
  return { elementType: "payment", collapsed: false, empty, complete, value } as const;
}

/** What Stripe shows below a card that is kept for later: https://docs.stripe.com/payments/mandates */
function mandateOf(business: string): string {
  return `By providing your card information, you allow ${business} to charge your card for future payments in accordance with their terms.`;
}

function requireDetail(name: "country" | "postal_code", given: BillingDetails | undefined): void {
  if (given?.address?.[name]) return;
  throw new IntegrationError(
    `You specified "never" for fields.billing_details.address.${name} when creating the payment Element, but did not pass confirmParams.payment_method_data.billing_details.address.${name} when calling stripe.confirmSetup().`,
  );
}

/** Stripe.js refuses finished intents. */
function unusable(status: string): StripeError | undefined {
  if (status !== "succeeded" && status !== "canceled" && status !== "processing") return undefined;
  return {
    type: "invalid_request_error",
    code: "setup_intent_unexpected_state",
    message: "This SetupIntent is in a terminal state and cannot be used to initialize Elements.",
  };
}

/** The button that Enter presses in a form: the first that submits it, unless it is disabled. */
function submitButton(iframe: HTMLIFrameElement): HTMLButtonElement | null {
  return iframe.closest("form")?.querySelector<HTMLButtonElement>("button:not([type]), button[type=submit]") ?? null;
}
