import * as z from "zod/mini";
import { type SubscriptionRequest, subscriptionRequest } from "../../contract/subscription-request";

/** The sign-up form: the contract's fields and the repeated password, which is compared and never sent on. */
export const signupForm = z.extend(subscriptionRequest, { confirmPassword: z.optional(z.string()) }).check(
  z.refine((form) => form.password === form.confirmPassword, {
    error: "Passwords do not match",
    path: ["confirmPassword"],
    // Also while other fields are wrong, so that all messages come at once.
    when: ({ value }) => typeof value === "object" && value !== null && "password" in value && Boolean(value.password),
  }),
);

export type SignupForm = z.output<typeof signupForm>;

export type FieldName = keyof SignupForm;

/** The fields in the order in which they stand on the page. */
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

/** Names of everything the sign-up pages post: the form, its nonce, and the intent of the other steps' buttons. */
export const POSTED_FIELDS: readonly string[] = [...FIELD_NAMES, "form_nonce", "intent"];

/** Never echoed into a page, never kept. */
export const SECRET_FIELDS: ("password" | "confirmPassword")[] = ["password", "confirmPassword"];

/** What was typed into a form: a browser sends an empty field too. */
export function filledIn(form: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));
}

/** The body of the call to the subscription API: the contract's keys and no others (specification, section 3). */
export function toRequest({ confirmPassword: _, ...request }: SignupForm): SubscriptionRequest {
  return request;
}
