import type { SetupIntentResult, StripeError } from "@stripe/stripe-js";
import { cardBrand } from "../../cards/cards";
import { COUNTRIES } from "../../cards/countries";
import { type BillingDetails, CONNECT, type FrameOptions, type FromFrame, type ToFrame } from "../protocol";
import { confirmSetupIntent } from "../rest";
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

const FIELD_OF_PARAM: Record<string, FieldName> = { exp_month: "expiry", exp_year: "expiry", cvc: "cvc" };

type FieldName = "number" | "expiry" | "cvc" | "country" | "postalCode";

const form = byId("card", HTMLFormElement);
const fields = {
  number: byId("number", HTMLInputElement),
  expiry: byId("expiry", HTMLInputElement),
  cvc: byId("cvc", HTMLInputElement),
  country: byId("country", HTMLSelectElement),
  postalCode: byId("postalCode", HTMLInputElement),
};
const checks: [FieldName, () => FieldError | undefined][] = [
  ["number", () => cardNumberError(fields.number.value)],
  ["expiry", () => expiryError(fields.expiry.value)],
  ["cvc", () => cvcError(fields.cvc.value, fields.number.value)],
  ["postalCode", () => (asksPostalCode() ? postalCodeError(fields.postalCode.value, fields.country.value) : undefined)],
];

let options: FrameOptions = {
  publishableKey: "",
  style: {},
  billingDetails: {},
  asksCountry: false,
  asksPostalCode: false,
  readOnly: false,
  mandate: "",
};

/** Where Stripe asks for it: https://docs.stripe.com/payments/payment-element/control-billing-details-collection */
const ZIP_COUNTRIES = ["US", "CA", "GB", "PR"];
const asksPostalCode = () =>
  options.asksPostalCode && (!options.asksCountry || ZIP_COUNTRIES.includes(fields.country.value));

const regionNames = new Intl.DisplayNames("en", { type: "region" });
for (const code of COUNTRIES) fields.country.add(new Option(regionNames.of(code), code, code === "US", code === "US"));
let prefilled = false;

window.addEventListener("message", function connect({ data, source, ports: [port] }: MessageEvent<unknown>) {
  // Only the page that shows this frame, and only once: from then on there is nothing but the port.
  if (source !== window.parent || data !== CONNECT || !port) return;
  window.removeEventListener("message", connect);
  serve(port);
});

function serve(port: MessagePort): void {
  const tell = (message: FromFrame) => port.postMessage(message);

  port.onmessage = async ({ data }: MessageEvent<ToFrame>) => {
    switch (data.type) {
      case "options":
        apply(data.options);
        break;
      case "validate":
        tell({ type: "validated", id: data.id, error: validate() });
        break;
      case "confirm":
        tell({ type: "confirmed", id: data.id, result: await confirm(data) });
        break;
      case "focus":
        fields.number.focus();
        break;
      case "blur":
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        break;
      case "clear":
        form.reset();
        for (const [name] of checks) show(name, undefined);
        break;
    }
  };

  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) format(target);
    showPostalCode();
    tell({
      type: "change",
      empty: [fields.number, fields.expiry, fields.cvc].every(({ value }) => value === ""),
      complete: checks.every(([, check]) => check() === undefined),
      country: options.asksCountry ? fields.country.value : null,
      postalCode: (asksPostalCode() && fields.postalCode.value) || null,
    });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("focusout", ({ target }) => {
    if (target instanceof HTMLInputElement && target.value !== "") check(target);
  });
  form.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") tell({ type: "escape" });
    if (key === "Enter") tell({ type: "submit" });
  });
  window.addEventListener("focus", () => tell({ type: "focus" }));
  window.addEventListener("blur", () => tell({ type: "blur" }));
  new ResizeObserver(() =>
    tell({ type: "height", pixels: Math.ceil(document.body.getBoundingClientRect().height) }),
  ).observe(document.body);
  tell({ type: "ready" });
}

function apply(given: FrameOptions): void {
  options = given;
  for (const [property, value] of Object.entries(given.style)) {
    document.documentElement.style.setProperty(property, value);
  }
  const box = (name: FieldName) => fields[name].closest<HTMLElement>(".field");
  box("country")?.toggleAttribute("hidden", !given.asksCountry);
  byId("mandate", HTMLElement).textContent = given.mandate;
  setDisabled(given.readOnly);
  if (!prefilled) prefill(given.billingDetails);
  showPostalCode();
}

function showPostalCode(): void {
  fields.postalCode.closest(".field")?.toggleAttribute("hidden", !asksPostalCode());
  byId("postalCode-label", HTMLElement).textContent = fields.country.value === "US" ? "ZIP code" : "Postal code";
}

/** Once: what was typed since then stays. */
function prefill({ address }: BillingDetails): void {
  if (address?.country) fields.country.value = address.country;
  if (address?.postal_code) fields.postalCode.value = address.postal_code;
  prefilled = true;
}

function setDisabled(disabled: boolean): void {
  for (const field of Object.values(fields)) field.disabled = disabled;
}

/** Groups the digits while they are typed and keeps the caret in place. */
function format(input: HTMLInputElement): void {
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? input.value.length)).length;
  const digits = digitsOf(input.value);
  const atEnd = before === digits.length;
  if (input === fields.number) {
    input.value = formatCardNumber(digits.slice(0, 19));
    const brand = cardBrand(digits);
    byId("brand", HTMLElement).textContent = brand === "unknown" ? "" : brand;
  } else if (input === fields.expiry) {
    input.value = formatExpiry(digits.slice(0, 4));
  } else if (input === fields.cvc) {
    input.value = digits.slice(0, 4);
  } else {
    return;
  }
  const caret = atEnd ? input.value.length : positionAfter(input.value, before);
  input.setSelectionRange(caret, caret);

  const typedInFull = input === fields.number && digits.length >= cardNumberLength(digits);
  if (typedInFull || input.getAttribute("aria-invalid") === "true") check(input);
}

function positionAfter(text: string, digits: number): number {
  let position = 0;
  for (let seen = 0; seen < digits && position < text.length; position++) {
    if (/\d/.test(text[position] ?? "")) seen++;
  }
  return position;
}

function check(input: HTMLInputElement): void {
  for (const [name, find] of checks) {
    if (fields[name] === input) show(name, find());
  }
}

function validate(): StripeError | undefined {
  const found = checks.flatMap(([name, find]) => {
    const error = find();
    show(name, error);
    return error ? [{ name, error }] : [];
  });
  const [first] = found;
  if (!first) return undefined;
  fields[first.name].focus();
  return { type: "validation_error", ...first.error };
}

function show(name: FieldName, error: FieldError | undefined): void {
  fields[name].setAttribute("aria-invalid", String(error !== undefined));
  byId(`${name}-error`, HTMLElement).textContent = error?.message ?? "";
}

async function confirm(message: Extract<ToFrame, { type: "confirm" }>): Promise<SetupIntentResult> {
  const invalid = validate();
  if (invalid) return { error: invalid };

  const parameters = new URLSearchParams({ key: options.publishableKey, use_stripe_sdk: "true", ...cardParameters() });
  appendBillingDetails(parameters, options.billingDetails);
  if (message.billingDetails) appendBillingDetails(parameters, message.billingDetails);
  if (message.returnUrl !== undefined) parameters.set("return_url", message.returnUrl);

  setDisabled(true);
  const result = await confirmSetupIntent(window.location.origin, message.clientSecret, parameters);
  setDisabled(options.readOnly);
  if (result.error?.type === "card_error") {
    const { code = "", message = "", param = "" } = result.error;
    show(FIELD_OF_PARAM[param] ?? "number", { code, message });
  }
  return result;
}

function cardParameters(): Record<string, string> {
  const { month, year } = expiryOf(fields.expiry.value);
  return {
    "payment_method_data[type]": "card",
    "payment_method_data[card][number]": digitsOf(fields.number.value),
    "payment_method_data[card][exp_month]": String(month),
    "payment_method_data[card][exp_year]": String(year),
    "payment_method_data[card][cvc]": fields.cvc.value,
  };
}

function appendBillingDetails(parameters: URLSearchParams, { address, ...person }: BillingDetails): void {
  const place = "payment_method_data[billing_details]";
  for (const [name, value] of Object.entries(person)) {
    if (value) parameters.set(`${place}[${name}]`, value);
  }
  const asked = {
    ...(options.asksCountry && { country: fields.country.value }),
    ...(asksPostalCode() && { postal_code: fields.postalCode.value }),
  };
  for (const [name, value] of Object.entries({ ...address, ...asked })) {
    if (value) parameters.set(`${place}[address][${name}]`, value);
  }
}

function byId<T>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The frame has no ${id}`);
}
