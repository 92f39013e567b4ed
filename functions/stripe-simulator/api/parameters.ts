import * as z from "zod";
import { invalidRequest } from "../errors";
import type { Form } from "../form";

export const metadata = z.record(z.string(), z.string().max(500)).default({});

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
  const [first, ...rest] = parsed.error.issues[0]?.path.map(String) ?? [];
  const param = `${first}${rest.map((part) => `[${part}]`).join("")}`;
  const missing = valueAt(form, parsed.error.issues[0]?.path ?? []) === undefined;
  throw missing
    ? invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param })
    : invalidRequest(`Invalid value for ${param}.`, { code: "parameter_invalid", param });
}

function valueAt(form: Form, path: PropertyKey[]): string | Form | undefined {
  let value: string | Form | undefined = form;
  for (const part of path) value = typeof value === "object" ? value[String(part)] : undefined;
  return value;
}
