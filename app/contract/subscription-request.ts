import * as z from "zod/mini";
import { isPlausibleNanpNumber, phoneDigits } from "./phone";

/** Control characters, line separators, bidirectional overrides, unpaired surrogates, and U+FFFD for invalid UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069\uFFFD]/u;

function text(label: string, min: number, max: number) {
  const tooShort = `${label} must be at least ${min} characters`;
  return z.string(tooShort).check(
    // NFC composes at most four characters into one, and normalizing 8,000 combining marks takes 60 ms.
    z.overwrite((value) => (value.length > 4 * max ? value : value.normalize("NFC")).trim()),
    z.minLength(min, { error: tooShort, abort: true }),
    z.maxLength(max, { error: `${label} must be at most ${max} characters`, abort: true }),
    z.refine((value) => !UNPRINTABLE.test(value), `${label} must not contain control or unreadable characters`),
  );
}

/** Default-ignorable code points and the blank Braille pattern. */
const INVISIBLE = /[\p{DI}\u2800]/gu;

/** A scheme, `//` before a host, or `www.`. Other dots are part of many names, such as "Booking.com". */
const WEB_ADDRESS = /[a-z]:\/\/|\/\/[^\s/]+\.\S|(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]/iu;

/** Emails quote names, possibly to strangers: they must be visible and must not become links. */
function name(label: string) {
  return text(label, 2, 100).check(
    z.refine((value) => value.replace(INVISIBLE, "").trim(), `${label} must contain visible characters`),
    z.refine(
      (value) => !WEB_ADDRESS.test(value.replace(INVISIBLE, "").normalize("NFKC")),
      `${label} must not contain a web address`,
    ),
  );
}

export const INVALID_EMAIL = "Please enter a valid email address";
const INVALID_ZIP = "Please enter a valid ZIP code";

/** Body of `POST /subscription` (docs/requirements.md, V and N1). The upper limits keep a sealed session within one cookie. */
export const subscriptionRequest = z.object({
  package_id: z.optional(
    z.pipe(
      z.transform((value: unknown) => (value === "" || value === null ? undefined : value)),
      z.optional(z.guid("Invalid subscription ID").check(z.overwrite((value) => value.toLowerCase()))),
    ),
  ),
  full_name: name("Contact name"),
  company_name: name("Company name"),
  email: z.string(INVALID_EMAIL).check(
    z.overwrite(normalizeEmail),
    z.maxLength(254, { error: INVALID_EMAIL, abort: true }), // RFC 5321, section 4.5.3.1.3
    z.email({ error: INVALID_EMAIL, abort: true }),
    z.refine((value) => value.indexOf("@") <= 64, INVALID_EMAIL), // 4.5.3.1.1
  ),
  phone: z
    .string("Phone number is required")
    .check(
      z.overwrite(phoneDigits),
      z.minLength(1, { error: "Phone number is required", abort: true }),
      z.regex(/^\d{10,15}$/, { error: "Phone number must be 10-15 digits", abort: true }),
      z.refine(isPlausibleNanpNumber, "Please enter a valid phone number"),
    ),
  // Forwarded unchanged: never trimmed, normalized or cut.
  password: z.string("Password must be at least 8 characters").check(
    z.minLength(8, "Password must be at least 8 characters"),
    z.maxLength(256, "Password must be at most 256 characters"),
    z.regex(/[A-Z]/, "Password must contain at least one uppercase letter"),
    z.regex(/[a-z]/, "Password must contain at least one lowercase letter"),
    z.regex(/[0-9]/, "Password must contain at least one number"),
    z.regex(/[^A-Za-z0-9]/, "Password must contain at least one special character"),
    // U+FFFD replaces invalid UTF-8, so the password would differ from the typed characters.
    z.refine((value) => !/[\p{Cs}\uFFFD]/u.test(value), "Password must not contain unreadable characters"),
  ),
  address: text("Street address", 5, 150),
  city: text("City", 2, 80),
  state: text("State", 2, 80),
  zipCode: z
    .string("ZIP code must be at least 5 characters")
    .check(
      z.trim(),
      z.minLength(5, { error: "ZIP code must be at least 5 characters", abort: true }),
      z.regex(/^\d{5}(-\d{4})?$/, INVALID_ZIP),
    ),
  country: text("Country", 2, 60),
});

export type SubscriptionRequest = z.output<typeof subscriptionRequest>;

/** Lower case and without white space; site and API compare addresses in this form. */
export function normalizeEmail(value: string): string {
  return value.replace(/\s+/gu, "").toLowerCase();
}
