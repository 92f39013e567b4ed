import type { StripePaymentElementOptions } from "@stripe/stripe-js";
import type { BillingDetails, ConfirmRequest, FrameOptions, FromFrame } from "./frame-messages";
import { IntegrationError } from "./integration-error";
import { fetchSetupIntent, type SetupError, type SetupResult, UNREACHABLE } from "./setup-intent-requests";

type Context = Pick<FrameOptions, "publishableKey" | "style"> & {
  origin: string;
  clientSecret: string;
  locale: string;
};
type Handler = (event: object) => unknown;

const LOAD_TIMEOUT_MS = 15_000;

export type PaymentElement = ReturnType<typeof paymentElement>;

export function paymentElement(
  { origin, publishableKey, clientSecret, locale, style }: Context,
  options: StripePaymentElementOptions,
  onDestroy: () => void,
) {
  const defaults = options.defaultValues?.billingDetails ?? {};
  const shown = options.fields?.billingDetails;
  const address = typeof shown === "object" ? shown.address : shown;
  const { country, postalCode } = typeof address === "object" ? address : { country: address, postalCode: address };
  const frameOptions: FrameOptions = {
    publishableKey,
    style,
    address: defaults.address ?? {},
    asksCountry: country !== "never",
    asksPostalCode: postalCode !== "never",
    wallets: walletsOf(options),
  };
  const handlers = new Map<string, Set<Handler>>();
  const iframe = document.createElement("iframe");
  const channel = new MessageChannel();
  let isReady = false;

  function emit(type: string, event: object = {}): void {
    for (const handler of [...(handlers.get(type) ?? [])]) handler({ elementType: "payment", ...event });
  }

  function receive({ type, ...message }: Exclude<FromFrame, { type: "ready" }>): void {
    if ("pixels" in message) iframe.style.height = `${message.pixels}px`;
    else if (type === "change") emit("change", { collapsed: false, ...message, value: { type: "card" } });
    else iframe.closest("form")?.querySelector<HTMLButtonElement>("button:not([type]), [type=submit]")?.click();
  }

  async function load(): Promise<void> {
    const frameIsReady = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), LOAD_TIMEOUT_MS);
      channel.port1.onmessage = ({ data }: MessageEvent<FromFrame>) =>
        data.type === "ready" ? resolve(true) : receive(data);
    });
    const { error, setupIntent } = await fetchSetupIntent(origin, publishableKey, clientSecret);
    const problem = error ?? unusable(setupIntent.status) ?? ((await frameIsReady) ? undefined : UNREACHABLE);
    if (!iframe.isConnected) return;
    isReady = !problem;
    if (!problem) return emit("ready");
    iframe.remove();
    emit("loaderror", { error: problem });
  }

  return {
    isReady: () => isReady,

    on(type: string, handler: Handler): void {
      handlers.set(type, (handlers.get(type) ?? new Set()).add(handler));
    },

    off(type: string, handler: Handler): void {
      handlers.get(type)?.delete(handler);
    },

    mount(container: HTMLElement): void {
      iframe.title = "Secure payment input frame";
      iframe.src = `${origin}/elements/#locale=${locale}`;
      // Set through the CSSOM, because the page's Content-Security-Policy allows no style attributes in markup.
      // Reaches into the margin for the focus rings, as Stripe's does.
      const size = { margin: "-4px", width: "calc(100% + 8px)", height: "0" };
      Object.assign(iframe.style, { ...size, display: "block", border: "0", colorScheme: "light" });
      iframe.onload = () => iframe.contentWindow?.postMessage(frameOptions, origin, [channel.port2]);
      container.replaceChildren(iframe);
      void load();
    },

    destroy(): void {
      isReady = false;
      channel.port1.close();
      iframe.remove();
      onDestroy();
    },

    async confirm(returnUrl?: string, given: BillingDetails = {}): Promise<SetupResult> {
      if (!frameOptions.asksCountry) requireDetail("country", given);
      if (!frameOptions.asksPostalCode) requireDetail("postal_code", given);
      const billingDetails = { ...defaults, ...given, address: { ...defaults.address, ...given.address } };
      const request: ConfirmRequest = { clientSecret, returnUrl, billingDetails };
      const { port1, port2 } = new MessageChannel();
      return new Promise((resolve) => {
        port1.onmessage = ({ data }: MessageEvent<SetupResult>) => resolve(data);
        channel.port1.postMessage(request, [port2]);
      });
    },
  };
}

/** Stripe shows them, also for an intent of cards only, wherever a browser has them. */
function walletsOf({ wallets = {} }: StripePaymentElementOptions): string[] {
  const { applePay, googlePay, link } = wallets;
  const offered = { "Apple Pay": applePay, "Google Pay": googlePay, Link: link };
  return Object.entries(offered).flatMap(([name, option]) => (option === "never" ? [] : [name]));
}

function requireDetail(name: "country" | "postal_code", given: BillingDetails): void {
  if (given.address?.[name]) return;
  throw new IntegrationError(
    `You specified "never" for fields.billing_details.address.${name} when creating the payment Element, but did not pass confirmParams.payment_method_data.billing_details.address.${name} when calling stripe.confirmSetup().`,
  );
}

function unusable(status: string): SetupError | undefined {
  if (!["succeeded", "canceled", "processing"].includes(status)) return undefined;
  return {
    type: "invalid_request_error",
    code: "setup_intent_unexpected_state",
    message: "This SetupIntent is in a terminal state and cannot be used to initialize Elements.",
  };
}
