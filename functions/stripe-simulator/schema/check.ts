import { resolve, type Schema } from "./schema";

export type Problem = { kind: "unknown" | "missing" | "wrong"; path: string[]; expected: Schema; value: unknown };

/** Checks a value against a schema; if all alternatives fail, reports the closest match. */
export function findProblem(given: Schema, value: unknown, path: string[] = []): Problem | undefined {
  const schema = resolve(given);
  const wrong: Problem = { kind: "wrong", path, expected: schema, value };
  if (schema.anyOf) {
    const problems = schema.anyOf.map((one) => findProblem(one, value, path));
    if (problems.includes(undefined)) return undefined;
    const furthest = problems.flatMap((one) => one ?? []).sort((a, b) => rank(b) - rank(a))[0];
    return furthest && rank(furthest) > rank(wrong) ? furthest : wrong;
  }
  if (schema.enum) return schema.enum.some((one) => one === value) ? undefined : wrong;
  switch (schema.type) {
    case undefined:
      return undefined;
    case "null":
      return value === null ? undefined : wrong;
    case "integer":
      return Number.isSafeInteger(value) ? undefined : wrong;
    case "array":
      if (!Array.isArray(value)) return wrong;
      return first(value.map((item, index) => () => findProblem(schema.items ?? {}, item, [...path, String(index)])));
    case "object":
      return isRecord(value) ? problemOfObject(schema, value, path) : wrong;
    case "string":
      return typeof value === "string" && isWithin(value.length, schema) ? undefined : wrong;
    default:
      return typeof value === schema.type ? undefined : wrong;
  }
}

function problemOfObject(schema: Schema, value: Record<string, unknown>, path: string[]): Problem | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) return { kind: "missing", path: [...path, missing], expected: schema, value: undefined };
  return first(
    Object.entries(value).map(([name, item]) => () => {
      if (item === undefined) return undefined;
      const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (known === false) return { kind: "unknown", path: [...path, name], expected: schema, value: item };
      return known && findProblem(known, item, [...path, name]);
    }),
  );
}

function isWithin(length: number, { minLength = 0, maxLength = Infinity }: Schema): boolean {
  return length >= minLength && length <= maxLength;
}

function first(checks: (() => Problem | undefined)[]): Problem | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem) return problem;
  }
  return undefined;
}

function rank({ kind, path }: Problem): number {
  return path.length + (kind === "wrong" ? 0 : 0.5);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A path as Stripe writes it: `items[0][price]`. */
export function parameterName([first, ...rest]: string[]): string {
  return `${first}${rest.map((part) => `[${part}]`).join("")}`;
}
