import * as z from "zod";
import { COUNTRIES } from "../countries";
import { invalidRequest } from "../errors";
import type { Form } from "../form";

export const metadata = z.record(z.string(), z.string().max(500)).default({});

const nullable = z.string().nullable().default(null);

/** The API's documentation asks for ISO 3166-1 codes; https://github.com/stripe/stripe-ios/issues/1985 has the message. */
const country = nullable.refine((code) => code === null || COUNTRIES.includes(code), {
  error: ({ input }) =>
    `Country '${input}' is unknown. Try using a 2-character alphanumeric country code instead, such as 'US', 'EG', or 'GB'.`,
});

export const address = z.object({
  city: nullable,
  country,
  line1: nullable,
  line2: nullable,
  postal_code: nullable,
  state: nullable,
});

/** A list in a form: `types[0]=card`, or `types[]=card`. */
export const list = z.record(z.string(), z.string()).transform((items) => Object.values(items));

/** https://docs.stripe.com/api/pagination */
export const paging = { limit: z.coerce.number().min(1).max(100).default(10), starting_after: z.string().optional() };

export function page<T extends { id: string }>(
  url: string,
  found: T[],
  { limit, starting_after }: { limit: number; starting_after?: string | undefined },
) {
  const rest = found.slice(found.findIndex(({ id }) => id === starting_after) + 1);
  return { object: "list" as const, url, has_more: rest.length > limit, data: rest.slice(0, limit) };
}

/** Parses the parameters of a call; throws StripeFailure 400. */
export function parameters<T extends z.ZodType>(schema: T, form: Form): z.output<T> {
  const parsed = schema.safeParse(form);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [first, ...rest] = issue?.path.map(String) ?? [];
  const param = `${first}${rest.map((part) => `[${part}]`).join("")}`;
  if (issue?.code === "custom") throw invalidRequest(issue.message, { param });
  const missing = valueAt(form, issue?.path ?? []) === undefined;
  throw missing
    ? invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param })
    : invalidRequest(`Invalid value for ${param}.`, { code: "parameter_invalid", param });
}

function valueAt(form: Form, path: PropertyKey[]): string | Form | undefined {
  let value: string | Form | undefined = form;
  for (const part of path) value = typeof value === "object" ? value[String(part)] : undefined;
  return value;
}
