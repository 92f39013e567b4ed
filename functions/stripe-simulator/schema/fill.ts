import { isRecord } from "./check";
import { resolve, type Schema } from "./schema";

/** A value with all required fields, empty where not given. */
export function fill(schema: Schema, value: unknown): unknown {
  const options = optionsOf(schema);
  if (value === undefined && options.some(({ type }) => type === "null")) return null;
  if (Array.isArray(value)) {
    const { items = {} } = options.find(({ items }) => items) ?? {};
    return value.map((item) => fill(items, item));
  }
  const { properties, required = [] } = options.find(({ properties }) => properties) ?? {};
  if (properties && (value === undefined || isRecord(value))) {
    const given = Object.entries(value ?? {}).filter(([, item]) => item !== undefined);
    const names = new Set([...required, ...given.map(([name]) => name)]);
    return Object.fromEntries(
      [...names].map((name) => [name, fill(properties[name] ?? {}, Reflect.get(value ?? {}, name))]),
    );
  }
  return value === undefined ? emptyOf(options[0] ?? {}) : value;
}

function emptyOf(schema: Schema): unknown {
  if (schema.enum?.length === 1) return schema.enum[0];
  const empty: Record<string, unknown> = { array: [], boolean: false, number: 0, object: {} };
  return empty[schema.type ?? ""];
}

/** Fields after a call: each parameter sets the field of its name; an empty text unsets it. Throws for any other. */
export function mergeFields(schema: Schema, known: object, given: object): object {
  const { properties, additionalProperties } = optionsOf(schema).find(({ type }) => type === "object") ?? {};
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(given)) {
    const property = properties?.[name] ?? additionalProperties;
    if (value === undefined) continue;
    if (!property) throw new Error(`it does not know what to do with the parameter ${name}`);
    const before = merged.get(name);
    if (isRecord(value)) merged.set(name, fill(property, mergeFields(property, isRecord(before) ? before : {}, value)));
    else if (value !== "" && value !== null) merged.set(name, value);
    else if (additionalProperties || !optionsOf(property).some(({ type }) => type === "null")) merged.delete(name);
    else merged.set(name, null);
  }
  return Object.fromEntries(merged);
}

export function optionsOf(given: Schema): Schema[] {
  const schema = resolve(given);
  return schema.anyOf?.map(resolve) ?? [schema];
}
