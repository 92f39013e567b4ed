import * as z from "zod";
import { invalidRequest } from "./errors";

/** A form with Stripe's nested names, `card[number]=…&types[0]=…`; arrays are objects of indices. */
export type Form = { [name: string]: string | Form | undefined };

export function parseForm(text: string): Form {
  const form = emptyForm();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]$/).filter((part) => part !== "");
    const last = path.pop();
    if (last === undefined) continue;
    let place = form;
    for (const part of path) {
      const inner = place[part];
      place = place[part] = typeof inner === "object" ? inner : emptyForm();
    }
    place[last] = value;
  }
  return form;
}

/** Without a prototype: a field may be called `__proto__`. */
function emptyForm(): Form {
  return Object.create(null);
}

/** Readers for the parameters of a `stripe` type. A misspelled name does not compile. */
export type Readers<Params> = { [Name in keyof Params]?: z.ZodType<Params[Name]> };

export const text = z.string().min(1);
export const optionalText = text.optional();
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, "Invalid integer")
  .transform(Number);
export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
/** https://docs.stripe.com/metadata */
export const metadata = z.record(z.string().max(40), text.max(500)).refine((given) => Object.keys(given).length <= 50);
export const hash = z.strictObject;

export const list = <S extends z.ZodType>(item: S) =>
  z.record(z.string(), item).transform((items) => Object.values(items));

/** Throws StripeFailure 400 for an unknown or invalid parameter. */
export function readParameters<S extends z.ZodType>(schema: S, form: Form): z.output<S> {
  const read = schema.safeParse(form, { reportInput: true });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [first = "", ...rest] = [...(issue?.path ?? []), ...(issue?.code === "unrecognized_keys" ? issue.keys : [])];
  const param = [String(first), ...rest.map((part) => `[${String(part)}]`)].join("");
  if (issue?.code === "unrecognized_keys") {
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: "parameter_unknown", param });
  }
  if (issue?.input === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  }
  if (issue.input === "") {
    throw invalidRequest(`You passed an empty string for '${param}'.`, { code: "parameter_invalid_empty", param });
  }
  const code = issue.message === "Invalid integer" ? "parameter_invalid_integer" : undefined;
  throw invalidRequest(code ? `Invalid integer: ${String(issue.input)}` : `Invalid ${param}`, { code, param });
}
