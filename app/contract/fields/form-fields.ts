import * as z from "zod/mini";
import { cleanText, cleanZip } from "./clean-text";
import { cleanEmail, EMAIL } from "./email";
import { formatPhone, isPlausibleNanpNumber, phoneDigits } from "./phone";

/** Runs a rule only if all earlier ones pass. `abort: true` would also skip rules that compare fields (`acrossFields`). */
function ifValid(error: string) {
  return { error, when: ({ issues }: z.core.ParsePayload) => !issues.length };
}

/** Control characters, bidirectional controls, unpaired surrogates, and U+FFFD for invalid UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFFFD]/u;

/** A NUL, for example, could be stored, but a copy of the database with it could not be restored. */
export const isPrintable = (text: string) => !UNPRINTABLE.test(text);

const INVISIBLE = /[\p{DI}\u2800]/gu;

function visible(value: string): string {
  return value.replace(INVISIBLE, "").trim();
}

function text(label: string, min: number, max: number, ...more: z.core.$ZodCheck<string>[]) {
  const tooShort = `${label} must be at least ${min} characters`;
  const rule = z.string(tooShort).check(
    z.overwrite(cleanText),
    z.minLength(min, tooShort),
    z.refine((value) => visible(value).length >= min, ifValid(tooShort)),
    z.maxLength(max, ifValid(`${label} must be at most ${max} characters`)),
    z.refine(isPrintable, ifValid(`${label} must not contain control or unreadable characters`)),
    ...more,
  );
  return { rule, format: cleanText };
}

/** A scheme, `//` before a host, or `www.`. Other dots are fine: many names have them, such as "Booking.com". */
const WEB_ADDRESS = /[a-z]:\/\/|\/\/[^\s/]+\.\S|(?:^|[^\p{L}\p{N}])www\.[\p{L}\p{N}]/iu;

/** Emails quote names, possibly to strangers: they must not become links. */
function name(label: string) {
  const hasNoLink = (value: string) => !WEB_ADDRESS.test(visible(value).normalize("NFKC"));
  return text(label, 2, 100, z.refine(hasNoLink, ifValid(`${label} must not contain a web address`)));
}

export const INVALID_EMAIL = "Please enter a valid email address";
const INVALID_ZIP = "Please enter a valid ZIP code";

const PASSWORD_LENGTH = { min: 8, max: 256 };
const PASSWORD_TOO_SHORT = `Password must be at least ${PASSWORD_LENGTH.min} characters`;

/** By their names in `passwordrules`. A decomposed letter counts like its composed form: as a special character. */
const PASSWORD_CHARACTERS = {
  upper: { needs: "uppercase letter", pattern: /[A-Z](?!\p{M})/u },
  lower: { needs: "lowercase letter", pattern: /[a-z](?!\p{M})/u },
  digit: { needs: "number", pattern: /[0-9]/ },
  special: { needs: "special character", pattern: /[^A-Za-z0-9]/ },
};

export interface FormField {
  label: string;
  /** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill */
  autoComplete: string;
  /** For an optional field, use `z.optional` and `required: false`, and say so in the label. */
  rule: z.ZodMiniType<string | undefined>;
  /** The value once the field is left. Passwords have none. */
  format?: (value: string) => string;
  required?: false;
  hint?: string;
  type?: "tel";
  inputMode?: "email";
  autoCapitalize?: "none";
  spellCheck?: false;
  /** What password managers generate: https://github.com/whatwg/html/issues/3518 */
  passwordrules?: string;
}

export const contactFields = {
  full_name: { label: "Contact Name", autoComplete: "name", ...name("Contact name") },
  company_name: { label: "Company Name", autoComplete: "organization", ...name("Company name") },
  email: {
    label: "Email Address",
    // Without it, password managers save the text field before the password, the phone number, as the user name:
    // https://github.com/whatwg/html/issues/4445
    autoComplete: "username",
    inputMode: "email",
    autoCapitalize: "none",
    spellCheck: false,
    format: cleanEmail,
    rule: z.string(INVALID_EMAIL).check(z.overwrite(cleanEmail), z.regex(EMAIL, INVALID_EMAIL)),
  },
  phone: {
    label: "Phone Number",
    autoComplete: "tel",
    type: "tel",
    hint: "US and Canada: 10 digits. Elsewhere: start with the country code, for example +44 20 7946 0958.",
    format: formatPhone,
    rule: z
      .string("Phone number is required")
      .check(
        z.overwrite(phoneDigits),
        z.minLength(1, "Phone number is required"),
        z.regex(/^\d{10,15}$/, ifValid("Phone number must be 10-15 digits")),
        z.refine(isPlausibleNanpNumber, ifValid("Please enter a valid phone number")),
      ),
  },
  password: {
    label: "Password",
    autoComplete: "new-password",
    hint: `At least ${PASSWORD_LENGTH.min} characters with an uppercase letter, a lowercase letter, a number and a special character.`,
    passwordrules: [
      `minlength: ${PASSWORD_LENGTH.min}; maxlength: ${PASSWORD_LENGTH.max};`,
      ...Object.keys(PASSWORD_CHARACTERS).map((name) => `required: ${name};`),
    ].join(" "),
    rule: z.string(PASSWORD_TOO_SHORT).check(
      z.minLength(PASSWORD_LENGTH.min, PASSWORD_TOO_SHORT),
      z.maxLength(PASSWORD_LENGTH.max, `Password must be at most ${PASSWORD_LENGTH.max} characters`),
      ...Object.values(PASSWORD_CHARACTERS).map(({ needs, pattern }) =>
        z.regex(pattern, `Password must contain at least one ${needs}`),
      ),
      // U+FFFD replaces invalid UTF-8, so the password would differ from the typed characters.
      z.refine((value) => !/[\p{Cs}\uFFFD]/u.test(value), "Password must not contain unreadable characters"),
    ),
  },
} as const satisfies Record<string, FormField>;

export const billingFields = {
  address: {
    label: "Street Address",
    autoComplete: "address-line1",
    ...text("Street address", 5, 150),
  },
  city: { label: "City", autoComplete: "address-level2", ...text("City", 2, 80) },
  state: { label: "State/Province", autoComplete: "address-level1", ...text("State", 2, 80) },
  zipCode: {
    label: "ZIP Code",
    autoComplete: "postal-code",
    hint: "5 digits or ZIP+4, for example 62701 or 62701-1234.",
    format: cleanZip,
    rule: z
      .string("ZIP code must be at least 5 characters")
      .check(
        z.overwrite(cleanZip),
        z.minLength(5, "ZIP code must be at least 5 characters"),
        z.regex(/^\d{5}(-\d{4})?$/, ifValid(INVALID_ZIP)),
      ),
  },
  country: { label: "Country", autoComplete: "country-name", ...text("Country", 2, 60) },
} as const satisfies Record<string, FormField>;

// Form, schemas and request derive from this list. A new field also needs a column: in a migration, and in `formColumns`
// and `formColumnsOf` of functions/subscription-api/sign-up.ts. The upper limits keep a sealed session within one cookie.
export const formFields = { ...contactFields, ...billingFields };

/** A rule that compares fields; its message appears at `at`. Runs even if other fields are invalid: values may be missing. */
export function acrossFields<Form>(at: keyof Form & string, holds: (form: Partial<Form>) => boolean, error: string) {
  return z.refine<Form>(holds, { error, path: [at], when: () => true });
}
