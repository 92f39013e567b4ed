import * as z from "zod/mini";
import { type FormField, formFields } from "./fields/form-fields";

type Rules<Fields extends Record<string, FormField>> = { [Name in keyof Fields]: Fields[Name]["rule"] };

function rulesOf<Fields extends Record<string, FormField>>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, { rule }]) => [name, rule])) as Rules<Fields>;
}

/** Body of `POST /subscription`, without its empty fields. */
export const subscriptionRequest = z.object({
  package_id: z.optional(
    z.string("Invalid subscription ID").check(
      z.overwrite((value) => value.toLowerCase()),
      z.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, "Invalid subscription ID"),
    ),
  ),
  ...rulesOf(formFields),
});

export type SubscriptionRequest = z.output<typeof subscriptionRequest>;

/** The fields that are filled in: browsers send an empty field as an empty string, and JSON can have null. */
export function withoutEmptyFields(form: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== "" && value !== null));
}
