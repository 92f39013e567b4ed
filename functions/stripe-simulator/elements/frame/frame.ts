import { COUNTRIES } from "../../cards/countries";
import type { ConfirmRequest, FrameOptions, FromFrame } from "../frame-messages";
import { confirmSetupIntent, type SetupResult } from "../setup-intent-requests";
import {
  cardNumberError,
  cardNumberLength,
  cvcError,
  digitsOf,
  expiryError,
  expiryOf,
  type FieldError,
  formatCardNumber,
  formatExpiry,
  postalCodeError,
} from "./card-fields";

const form = byId("card", HTMLFormElement);
const number = byId("number", HTMLInputElement);
const expiry = byId("expiry", HTMLInputElement);
const cvc = byId("cvc", HTMLInputElement);
const country = byId("country", HTMLSelectElement);
const postalCode = byId("postalCode", HTMLInputElement);

const regionNames = new Intl.DisplayNames("en", { type: "region" });
for (const code of COUNTRIES) country.add(new Option(regionNames.of(code), code, code === "US", code === "US"));

window.addEventListener("message", function connect({ data, source, ports: [port] }: MessageEvent<FrameOptions>) {
  // Only the page that shows this frame, and only once: from then on there is nothing but the port.
  if (source !== window.parent || !port) return;
  window.removeEventListener("message", connect);
  serve(port, data);
});

function serve(port: MessagePort, options: FrameOptions): void {
  const { publishableKey, style, address, asksCountry, asksPostalCode, wallets } = options;
  const tell = (message: FromFrame) => port.postMessage(message);
  const showAddress = () => {
    country.closest(".field")?.toggleAttribute("hidden", !asksCountry);
    const asks = asksPostalCode && (!asksCountry || ZIP_COUNTRIES.includes(country.value));
    postalCode.closest(".field")?.toggleAttribute("hidden", !asks);
    byId("postalCode-label", HTMLElement).textContent = country.value === "US" ? "ZIP code" : "Postal code";
  };

  for (const [name, value] of Object.entries(style)) document.documentElement.style.setProperty(name, value);
  for (const wallet of wallets) byId("card-tab", HTMLElement).insertAdjacentElement("afterend", tabOf(wallet));
  country.value = address.country || "US";
  postalCode.value = address.postal_code || "";
  showAddress();

  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) whileTyping(target);
    showAddress();
    const empty = [number, expiry, cvc].every(({ value }) => value === "");
    tell({ type: "change", empty, complete: inputs().every((input) => errorOf(input) === undefined) });
  });
  form.addEventListener("focusout", ({ target }) => {
    if (target instanceof HTMLInputElement && target.value !== "") check(target);
  });
  form.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") tell({ type: "submit" });
  });
  new ResizeObserver(() =>
    tell({ type: "height", pixels: Math.ceil(document.body.getBoundingClientRect().height) }),
  ).observe(document.body);
  port.onmessage = async ({ data, ports: [answer] }: MessageEvent<ConfirmRequest>) =>
    answer?.postMessage(await confirm(data, publishableKey));
  tell({ type: "ready" });
}

function tabOf(name: string): HTMLButtonElement {
  const tab = document.createElement("button");
  Object.assign(tab, { type: "button", role: "tab", textContent: name, disabled: true });
  return tab;
}

/** Where Stripe asks for it: https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
const ZIP_COUNTRIES = ["US", "CA", "GB", "PR"];

const isShown = (field: HTMLInputElement | HTMLSelectElement) => field.closest(".field[hidden]") === null;

const inputs = () => [number, expiry, cvc, postalCode].filter(isShown);

/** Groups the digits, but leaves a caret in the middle alone. */
function whileTyping(input: HTMLInputElement): void {
  const digits = digitsOf(input.value);
  if (input.selectionStart === input.value.length) {
    if (input === number) input.value = formatCardNumber(digits.slice(0, 19));
    if (input === expiry) input.value = formatExpiry(digits.slice(0, 4));
    if (input === cvc) input.value = digits.slice(0, 4);
  }
  const isWhole = input === number && digits.length >= cardNumberLength(digits);
  if (isWhole || (input.ariaInvalid === "true" && isShown(input))) check(input);
}

function errorOf(input: HTMLInputElement): FieldError | undefined {
  if (input === number) return cardNumberError(input.value);
  if (input === expiry) return expiryError(input.value);
  if (input === cvc) return cvcError(input.value);
  return postalCodeError(input.value, country.value);
}

function check(input: HTMLInputElement): FieldError | undefined {
  const error = errorOf(input);
  show(input, error?.message);
  return error;
}

function show(input: HTMLInputElement, message = ""): void {
  input.ariaInvalid = String(message !== "");
  byId(`${input.id}-error`, HTMLElement).textContent = message;
}

function setDisabled(disabled: boolean): void {
  for (const field of [number, expiry, cvc, country, postalCode]) field.disabled = disabled;
}

async function confirm(request: ConfirmRequest, key: string): Promise<SetupResult> {
  const [wrong] = inputs().filter((input) => check(input) !== undefined);
  if (wrong) {
    wrong.focus();
    return { error: { type: "validation_error", message: "", ...errorOf(wrong) } };
  }
  const parameters = {
    ...{ key, use_stripe_sdk: "true" },
    ...flat("payment_method_data", { type: "card", card: card(), billing_details: billingDetails(request) }),
    ...(request.returnUrl !== undefined && { return_url: request.returnUrl }),
  };
  setDisabled(true);
  const result = await confirmSetupIntent(window.location.origin, request.clientSecret, parameters);
  setDisabled(false);
  const { type, param = "", message } = result.error ?? {};
  const refused = param.startsWith("exp_") ? expiry : param === "cvc" ? cvc : number;
  if (type === "card_error") show(refused, message);
  return result;
}

function card() {
  const { month, year } = expiryOf(expiry.value);
  return { number: digitsOf(number.value), exp_month: month, exp_year: year, cvc: cvc.value };
}

function billingDetails({ billingDetails: { address, ...person } }: ConfirmRequest) {
  const asked = {
    ...(isShown(country) && { country: country.value }),
    ...(isShown(postalCode) && { postal_code: postalCode.value }),
  };
  return { ...person, address: { ...address, ...asked } };
}

function flat(name: string, value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return value ? { [name]: String(value) } : {};
  return Object.assign({}, ...Object.entries(value).map(([key, item]) => flat(`${name}[${key}]`, item)));
}

function byId<T>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The frame has no ${id}`);
}
