import * as z from "zod/mini";
import { type SubscriptionRequest, subscriptionRequest } from "../contract/subscription-request";

const fields = z.extend(subscriptionRequest, { confirmPassword: z.optional(z.string("Passwords do not match")) });

/**
 * Compares the passwords before the fields: Zod skips checks of the whole object if any field aborts, so the message would
 * wait until all other fields are valid.
 */
export const signupForm = z.pipe(z.transform(withComparedPasswords), fields);

/** Replaces a different repeated password by null, which its field refuses. */
function withComparedPasswords(form: Record<string, unknown>): Record<string, unknown> {
  return form.password === form.confirmPassword ? form : { ...form, confirmPassword: null };
}

export type SignupForm = z.output<typeof signupForm>;

export type FieldName = keyof SignupForm;

/** In the order of the page. */
export const FIELD_NAMES: readonly FieldName[] = [
  "package_id",
  "full_name",
  "company_name",
  "email",
  "phone",
  "password",
  "confirmPassword",
  "address",
  "city",
  "state",
  "zipCode",
  "country",
];

/** Hidden field that people leave empty and many bots fill in. */
export const HONEYPOT_FIELD = "website";

/** Sent by the button that confirms a form, and by Turnstile's script beside it. */
export const CONFIRMATION_FIELD = "confirmation";
export const TURNSTILE_FIELD = "cf-turnstile-response";

/**
 * `sign_up` names the sign-up that a form or button belongs to. `return_token` identifies it when a card is set up and the
 * cookie is lost or holds another sign-up.
 */
export const POSTED_FIELDS: readonly string[] = [
  ...FIELD_NAMES,
  "form_nonce",
  "intent",
  "sign_up",
  "return_token",
  HONEYPOT_FIELD,
  CONFIRMATION_FIELD,
  TURNSTILE_FIELD,
];

/** Never sent back to the browser. */
export const SECRET_FIELDS: ("password" | "confirmPassword")[] = ["password", "confirmPassword"];

/** Browsers submit empty fields as empty strings. */
export function withoutEmptyFields(form: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));
}

/** Only the fields of the contract (docs/requirements.md, N2). */
export function toRequest({ confirmPassword: _, ...request }: SignupForm): SubscriptionRequest {
  return request;
}
