import { COUNTRIES } from "../cards/countries";
import {
  cardNumberError,
  cvcError,
  digitsOf,
  expiryError,
  expiryOf,
  type FieldError,
  formatCardNumber,
  formatExpiry,
  postalCodeError,
} from "./card-fields";
import { type ConfirmRequest, confirmSetupIntent, type SetupResult } from "./setup-intent-requests";

const number = byId("number", HTMLInputElement);
const expiry = byId("expiry", HTMLInputElement);
const cvc = byId("cvc", HTMLInputElement);
const country = byId("country", HTMLSelectElement);
const postalCode = byId("postalCode", HTMLInputElement);

/** Where Stripe asks for it: https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
const ZIP_COUNTRIES = ["US", "CA", "GB", "PR"];

const asked = new URLSearchParams(window.location.search).getAll("asks");
const regionNames = new Intl.DisplayNames("en", { type: "region" });
for (const code of COUNTRIES) country.add(new Option(regionNames.of(code), code, code === "US", code === "US"));
showAddress();

document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) format(target);
  showAddress();
});
document.addEventListener("focusout", ({ target }) => {
  if (target instanceof HTMLInputElement && target.value !== "") check(target);
});
window.addEventListener("message", async ({ data, source, ports: [port] }: MessageEvent<ConfirmRequest>) => {
  if (source === window.parent) port?.postMessage(await confirm(data));
});

function showAddress(): void {
  const hasPostalCode = !asked.includes("country") || ZIP_COUNTRIES.includes(country.value);
  country.closest(".field")?.toggleAttribute("hidden", !asked.includes("country"));
  postalCode.closest(".field")?.toggleAttribute("hidden", !(asked.includes("postalCode") && hasPostalCode));
}

const isShown = (field: Pick<HTMLElement, "closest">) => field.closest(".field[hidden]") === null;

const inputs = () => [number, expiry, cvc, postalCode].filter(isShown);

/** Groups the digits, but leaves a caret in the middle alone. */
function format(input: HTMLInputElement): void {
  const digits = digitsOf(input.value);
  if (input.selectionStart === input.value.length) {
    if (input === number) input.value = formatCardNumber(digits.slice(0, 19));
    if (input === expiry) input.value = formatExpiry(digits.slice(0, 4));
    if (input === cvc) input.value = digits.slice(0, 4);
  }
  if (input.ariaInvalid === "true") check(input);
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

async function confirm({
  publishableKey,
  clientSecret,
  returnUrl,
  billingDetails,
}: ConfirmRequest): Promise<SetupResult> {
  const [wrong] = inputs().filter((input) => check(input) !== undefined);
  if (wrong) {
    wrong.focus();
    return { error: { type: "validation_error", message: "", ...errorOf(wrong) } };
  }
  const { month, year } = expiryOf(expiry.value);
  const card = { number: digitsOf(number.value), exp_month: month, exp_year: year, cvc: cvc.value };
  const address = {
    ...billingDetails.address,
    ...(isShown(country) && { country: country.value }),
    ...(isShown(postalCode) && { postal_code: postalCode.value }),
  };
  const data = { type: "card", card, billing_details: { ...billingDetails, address } };
  const parameters = { key: publishableKey, use_stripe_sdk: "true", return_url: returnUrl };
  setDisabled(true);
  const confirmation = { ...parameters, ...flat("payment_method_data", data) };
  const result = await confirmSetupIntent(window.location.origin, clientSecret, confirmation);
  setDisabled(false);
  const { type, param = "", message } = result.error ?? {};
  if (type === "card_error") show(param.startsWith("exp_") ? expiry : param === "cvc" ? cvc : number, message);
  return result;
}

function setDisabled(disabled: boolean): void {
  for (const field of [number, expiry, cvc, country, postalCode]) field.disabled = disabled;
}

/** As Stripe nests the names of a form: `payment_method_data[card][number]`. */
function flat(name: string, value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return value ? { [name]: String(value) } : {};
  return Object.assign({}, ...Object.entries(value).map(([key, item]) => flat(`${name}[${key}]`, item)));
}

function byId<T>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The frame has no ${id}`);
}
