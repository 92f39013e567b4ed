import type { Appearance } from "@stripe/stripe-js";
import { COUNTRY_CODES } from "../../../app/contract/fields/country";
import {
  askStripe,
  type ConfirmRequest,
  type FrameHeight,
  type FrameMessage,
  type SetupError,
  type SetupResult,
} from "./setup-intent-requests";

const fields = byId("fields", HTMLFieldSetElement);
const number = byId("number", HTMLInputElement);
const expiry = byId("expiry", HTMLInputElement);
const cvc = byId("cvc", HTMLInputElement);
const country = byId("country", HTMLSelectElement);
const postalCode = byId("postalCode", HTMLInputElement);

/** https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
const ZIP_COUNTRIES = ["US", "CA", "GB", "PR"];

const query = new URLSearchParams(window.location.search);
const asked = query.getAll("asks");
postalCode.value = query.get("postal_code") ?? "";
const regionNames = new Intl.DisplayNames("en", { type: "region" });
for (const code of COUNTRY_CODES) country.add(new Option(regionNames.of(code), code, code === "US", code === "US"));
applyAppearance(JSON.parse(new URLSearchParams(window.location.hash.slice(1)).get("appearance") ?? "{}"));
showAddress();

document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) format(target);
  showAddress();
});
document.addEventListener("focusout", ({ target }) => {
  if (target instanceof HTMLInputElement && target.value !== "") show(target, errorOf(target));
});
window.addEventListener("message", async ({ data, source, ports: [port] }: MessageEvent<FrameMessage>) => {
  if (source !== window.parent) return;
  if ("appearance" in data) applyAppearance(data.appearance);
  else port?.postMessage(await confirm(data));
});

new ResizeObserver(() => {
  const message: FrameHeight = { height: document.documentElement.offsetHeight };
  window.parent.postMessage(message, "*");
}).observe(document.documentElement);

/** Shows the fields with an appearance, instead of the last one: https://docs.stripe.com/elements/appearance-api */
function applyAppearance({ variables = {}, rules = {} }: Appearance): void {
  for (const [name, value] of Object.entries(variables))
    document.documentElement.style.setProperty(`--${name}`, String(value));
  const sheet = new CSSStyleSheet();
  for (const [selector, properties] of Object.entries(rules)) {
    const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
    if (rule instanceof CSSStyleRule) Object.assign(rule.style, properties);
  }
  document.adoptedStyleSheets = [sheet];
}

function showAddress(): void {
  const hasPostalCode = !asked.includes("country") || ZIP_COUNTRIES.includes(country.value);
  byId("postalCode-label", HTMLElement).textContent = country.value === "US" ? "ZIP code" : "Postal code";
  country.closest(".field")?.toggleAttribute("hidden", !asked.includes("country"));
  postalCode.closest(".field")?.toggleAttribute("hidden", !(asked.includes("postalCode") && hasPostalCode));
}

const isShown = (field: Pick<HTMLElement, "closest">) => field.closest(".field[hidden]") === null;

const digitsOf = ({ value }: HTMLInputElement) => value.replace(/\D/g, "");

/** Groups the digits, except while the caret is in the middle. */
function format(input: HTMLInputElement): void {
  const digits = digitsOf(input);
  if (input.selectionStart === input.value.length) {
    if (input === number)
      input.value =
        digits
          .slice(0, 19)
          .match(/.{1,4}/g)
          ?.join(" ") ?? "";
    if (input === expiry) input.value = formatExpiry(/^[2-9]/.test(digits) ? `0${digits}` : digits);
    if (input === cvc) input.value = digits.slice(0, 4);
  }
  if (input.ariaInvalid === "true") show(input, errorOf(input));
}

const formatExpiry = (digits: string) =>
  digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2, 4)}` : digits.slice(0, 2);

/** Checks only that the field is complete. Stripe's answer says if the card is valid. */
function errorOf(input: HTMLInputElement): SetupError | undefined {
  const digits = digitsOf(input);
  const incomplete = (code: string, what: string) => ({
    ...{ type: "validation_error", code: `incomplete_${code}` },
    message: `Your ${what} is incomplete.`,
  });
  if (input === number && digits.length < leastDigits(digits)) return incomplete("number", "card number");
  if (input === expiry && digits.length < 4) return incomplete("expiry", "card's expiration date");
  if (input === cvc && digits.length < 3) return incomplete("cvc", "card's security code");
  const isWhole = country.value === "US" ? /^\d{5}(-?\d{4})?$/ : /^.{3,10}$/;
  if (input === postalCode && !isWhole.test(input.value.trim())) return incomplete("zip", "postal code");
  return undefined;
}

/** American Express has 15 digits, and Diners Club 14. */
const leastDigits = (digits: string) => (/^3[47]/.test(digits) ? 15 : /^36/.test(digits) ? 14 : 16);

function show(input: HTMLInputElement, error?: SetupError): void {
  input.ariaInvalid = String(error !== undefined);
  input.classList.toggle("Input--invalid", error !== undefined);
  byId(`${input.id}-error`, HTMLElement).textContent = error?.message ?? "";
}

async function confirm(request: ConfirmRequest): Promise<SetupResult> {
  const shown = [number, expiry, cvc, postalCode].filter(isShown);
  for (const input of shown) show(input, errorOf(input));
  const wrong = shown.find((input) => errorOf(input));
  wrong?.focus();
  const error = wrong && errorOf(wrong);
  if (error) return { error };
  const { publishableKey, clientSecret, returnUrl, billingDetails } = request;
  const [exp_month, exp_year] = expiry.value.split(" / ");
  const card = { number: digitsOf(number), exp_month, exp_year, cvc: cvc.value };
  const address = {
    ...billingDetails.address,
    ...(isShown(country) && { country: country.value }),
    ...(isShown(postalCode) && { postal_code: postalCode.value }),
  };
  const data = { type: "card", card, billing_details: { ...billingDetails, address } };
  const parameters = { key: publishableKey, use_stripe_sdk: "true", return_url: returnUrl };
  fields.disabled = true;
  const confirmation = { ...parameters, ...flat("payment_method_data", data) };
  const result = await askStripe(window.location.origin, clientSecret, confirmation, "confirm");
  fields.disabled = false;
  const { type, param = "" } = result.error ?? {};
  if (type === "card_error") show(param.startsWith("exp_") ? expiry : param === "cvc" ? cvc : number, result.error);
  return result;
}

/** Flattens a value into Stripe's nested form names, such as `payment_method_data[card][number]`. */
function flat(name: string, value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return value ? { [name]: String(value) } : {};
  return Object.assign({}, ...Object.entries(value).map(([key, item]) => flat(`${name}[${key}]`, item)));
}

function byId<T>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The frame has no ${id}`);
}
