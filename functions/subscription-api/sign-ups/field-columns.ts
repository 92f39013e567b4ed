import * as z from "zod";
import { type FormField, formFields, isRequired } from "../../../app/contract/fields/form-fields";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";

type Fields = Omit<SubscriptionRequest, "package_id" | "password">;

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

type Columns = {
  [Name in keyof Fields as SnakeCase<Name>]-?: undefined extends Fields[Name]
    ? z.ZodNullable<z.ZodString>
    : z.ZodString;
};

const STORED = Object.entries<FormField>(formFields).filter(([name]) => name !== "password");

/** The form's fields as columns of the table `sign_ups`, in snake case; the password has its hash. */
export const fieldColumns = Object.fromEntries(
  STORED.map(([name, { rule }]) => [columnOf(name), isRequired(rule) ? z.string() : z.string().nullable()]),
) as Columns;

/** The values of a request by column; null for a field without a value. */
export function columnsOf({ package_id, ...fields }: SubscriptionRequest): Record<string, string | null> {
  const values = new Map(Object.entries<string | undefined>(fields));
  const columns = STORED.map(([name]) => [columnOf(name), values.get(name) ?? null]);
  return { package_id: package_id ?? null, ...Object.fromEntries(columns) };
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
