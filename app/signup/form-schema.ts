import * as z from "zod/mini";
import { toNfc } from "../contract/fields/clean-text";
import { acrossFields, formFields } from "../contract/fields/form-fields";
import { signUpPath } from "../contract/sign-up-path";
import { type SubscriptionRequest, subscriptionRequest } from "../contract/subscription-request";
import { findPlan } from "../pricing/plans/plan-list";

export const signupForm = z
  .object({ ...subscriptionRequest.shape, confirmPassword: z.optional(z.string()) })
  .check(
    acrossFields(
      "confirmPassword",
      ({ password = "", confirmPassword = "" }) => toNfc(password) === toNfc(confirmPassword),
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

/** The plan's price as the posted form's page showed it. Undefined if it showed none. */
export function shownPriceIn(fields: Readonly<Record<string, unknown>>): number | undefined {
  const cents = String(fields[SHOWN_PRICE_FIELD] ?? "");
  return /^\d{1,9}$/.test(cents) ? Number(cents) : undefined;
}

/** Radio buttons: the plan chosen in the form, or changed there under "Change plan". The values come from `planChoiceValue`. */
export const PLAN_CHOICE_FIELD = "plan_choice";

/** `sign_up` is the idempotency key of the sign-up that a button belongs to. */
export const POSTED_FIELDS: readonly string[] = [
  ...FIELD_NAMES,
  ...["intent", "sign_up", SHOWN_PRICE_FIELD, PLAN_CHOICE_FIELD, TURNSTILE_FIELD],
];

/** Never sent back to the browser. */
export const SECRET_FIELDS: ("password" | "confirmPassword")[] = ["password", "confirmPassword"];

/** The value of a plan's radio button: its package ID and the price shown next to it, if any, for example `0b1f6c8e-…:20000`. */
export function planChoiceValue(packageId: string, shownPriceCents?: number): string {
  return `${packageId}:${shownPriceCents ?? ""}`;
}

/** Replaces the hidden package ID and price with the chosen plan's. An empty choice means no plan. */
export function withChosenPlan<Value>(form: Readonly<Record<string, Value | string>>) {
  if (typeof form[PLAN_CHOICE_FIELD] !== "string") return form;
  const { [PLAN_CHOICE_FIELD]: choice, ...fields } = form;
  const [packageId = "", shownPriceCents = ""] = choice.split(":");
  return { ...fields, package_id: packageId, [SHOWN_PRICE_FIELD]: shownPriceCents };
}

/** Keeps only the contract's fields. */
export function toRequest({ confirmPassword: _, ...request }: SignupForm): SubscriptionRequest {
  return request;
}

/** The fields that can be filled in again. */
export function toDetails({ package_id: _, password: __, ...details }: SubscriptionRequest): Record<string, string> {
  return details;
}

/** The message for a malformed package ID; undefined if it is well-formed or empty. */
export function packageIdProblem(packageId: string): string | undefined {
  return subscriptionRequest.shape.package_id.safeParse(packageId || undefined).error?.issues[0]?.message;
}

/** True for a well-formed package ID of a plan that is not on the pricing page. */
export function isCustom(packageId: string): boolean {
  return packageId !== "" && packageIdProblem(packageId) === undefined && findPlan(packageId) === undefined;
}

/** The path of a plan's form; undefined if the package ID is malformed. */
export function planPath(packageId: string | undefined): string | undefined {
  const { success } = subscriptionRequest.shape.package_id.safeParse(packageId);
  return success && packageId ? signUpPath(packageId) : undefined;
}
