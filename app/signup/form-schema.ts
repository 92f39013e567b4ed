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

export const FIELD_NAMES = [
  "package_id",
  ...Object.keys(formFields).flatMap((name) => (name === "password" ? [name, "confirmPassword"] : [name])),
] as readonly FieldName[];

/** Set by Turnstile's script. */
export const TURNSTILE_FIELD = "cf-turnstile-response";

/** Hidden field of a page that came without a cookie and got one. */
export const COOKIE_SET_FIELD = "cookie_set";

export const PLAN_CHOICE_FIELD = "plan_choice";

/** The value of a plan's radio button: its package ID and the price shown next to it, if any, for example `0b1f6c8e-…:20000`. */
export function planChoiceValue(packageId: string, shownPriceCents?: number): string {
  return `${packageId}:${shownPriceCents ?? ""}`;
}

/** An empty choice means no plan. */
export function withChosenPlan<Value>(form: Readonly<Record<string, Value | string>>) {
  if (typeof form[PLAN_CHOICE_FIELD] !== "string") return form;
  const { [PLAN_CHOICE_FIELD]: choice, ...fields } = form;
  const [packageId = "", price_cents = ""] = choice.split(":");
  return { ...fields, package_id: packageId, price_cents };
}

export function toRequest({ confirmPassword: _, ...request }: SignupForm): SubscriptionRequest {
  return request;
}

export function toDetails({ package_id: _, password: __, ...details }: SubscriptionRequest): Record<string, string> {
  return details;
}

/** The message for a malformed package ID; undefined if it is well-formed or empty. */
export function packageIdProblem(packageId: string): string | undefined {
  return subscriptionRequest.shape.package_id.safeParse(packageId || undefined).error?.issues[0]?.message;
}

export function isCustom(packageId: string): boolean {
  return packageId !== "" && packageIdProblem(packageId) === undefined && findPlan(packageId) === undefined;
}

export function planPath(packageId: string | undefined): string | undefined {
  const { success } = subscriptionRequest.shape.package_id.safeParse(packageId);
  return success && packageId ? signUpPath(packageId) : undefined;
}
