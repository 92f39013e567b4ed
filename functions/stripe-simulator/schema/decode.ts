import { findProblem, isRecord } from "./check";
import type { Form } from "./form";
import { resolve, type Schema } from "./schema";

/** Typed values from a form's texts; text that does not fit the schema stays text. */
export function decode(given: Schema, value: string | Form): unknown {
  const schema = resolve(given);
  if (schema.anyOf) {
    const decoded = schema.anyOf.map((one) => ({ one, value: decode(one, value) }));
    const fits = decoded.find(({ one, value }) => findProblem(one, value) === undefined);
    return (fits ?? decoded.find(({ value }) => isRecord(value) || Array.isArray(value)))?.value ?? value;
  }
  if (typeof value === "string") {
    if (schema.type === "integer" && /^-?\d{1,15}$/.test(value)) return Number(value);
    if (schema.type === "boolean" && /^(true|false)$/.test(value)) return value === "true";
    return value;
  }
  if (schema.type === "array") return Object.values(value).map((item) => decode(schema.items ?? {}, item));
  const { properties = {}, additionalProperties } = schema;
  const schemaOf = (name: string) =>
    (Object.hasOwn(properties, name) && properties[name]) || additionalProperties || {};
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, decode(schemaOf(name), item)]));
}
