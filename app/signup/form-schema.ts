import * as z from "zod/mini";
import { acrossFields, formFields } from "../contract/fields/form-fields";
import { signUpPath } from "../contract/sign-up-path";
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

/** The fields in the page's order, including the repeated password. */
export const FIELD_NAMES = [
  "package_id",
  ...Object.keys(formFields).flatMap((name) => (name === "password" ? [name, "confirmPassword"] : [name])),
] as readonly FieldName[];

/** Set by Turnstile's script. */
export const TURNSTILE_FIELD = "cf-turnstile-response";

/** Hidden field: the plan's monthly price as the page shows it, in US cents. Not part of the sign-up itself. */
export const SHOWN_PRICE_FIELD = "price_cents";

/** `sign_up` is the idempotency key of the sign-up that a button belongs to. */
export const POSTED_FIELDS: readonly string[] = [
  ...FIELD_NAMES,
  ...["intent", "sign_up", SHOWN_PRICE_FIELD, TURNSTILE_FIELD],
];

/** Never sent back to the browser. */
export const SECRET_FIELDS: ("password" | "confirmPassword")[] = ["password", "confirmPassword"];

/** Browsers submit empty fields as empty strings. */
export function withoutEmptyFields(form: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));
}

/** Keeps only the contract's fields. */
export function toRequest({ confirmPassword: _, ...request }: SignupForm): SubscriptionRequest {
  return request;
}

/** The fields that can be filled in again. */
export function toDetails({ package_id: _, password: __, ...details }: SubscriptionRequest): Record<string, string> {
  return details;
}

/** The path of a plan's form; undefined if the package ID is malformed. */
export function planPath(packageId: string | undefined): string | undefined {
  const { success } = subscriptionRequest.shape.package_id.safeParse(packageId);
  return success && packageId ? signUpPath(packageId) : undefined;
}
