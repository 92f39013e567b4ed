import * as z from "zod/mini";
import { type SubscriptionRequest, subscriptionRequest } from "../../contract/subscription-request";

export const signupForm = z.extend(subscriptionRequest, { confirmPassword: z.optional(z.string()) }).check(
  z.refine((form) => form.password === form.confirmPassword, {
    error: "Passwords do not match",
    path: ["confirmPassword"],
    // Runs while other fields are invalid too, so that all messages appear at once.
    when: ({ value }) => typeof value === "object" && value !== null && "password" in value && Boolean(value.password),
  }),
);

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

export const POSTED_FIELDS: readonly string[] = [...FIELD_NAMES, "form_nonce", "intent"];

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
