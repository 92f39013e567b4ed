import * as z from "zod/mini";
import { acrossFields, formFields } from "../contract/fields/form-fields";
import { type SubscriptionRequest, subscriptionRequest } from "../contract/subscription-request";

export const signupForm = z
  .extend(subscriptionRequest, { confirmPassword: z.optional(z.string()) })
  .check(
    acrossFields(
      "confirmPassword",
      ({ password, confirmPassword }) => password === confirmPassword,
      "Passwords do not match",
    ),
  );

export type SignupForm = z.output<typeof signupForm>;

export type FieldName = keyof SignupForm;

/** In the order of the page, where the password is repeated. */
export const FIELD_NAMES = [
  "package_id",
  ...Object.keys(formFields).flatMap((name) => (name === "password" ? [name, "confirmPassword"] : [name])),
] as readonly FieldName[];

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
