import * as z from "zod/mini";
import json from "./generated/stripe-schema.json";

export type Schema = {
  type?: string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  enum?: (string | number | boolean | null)[] | undefined;
  anyOf?: Schema[] | undefined;
  items?: Schema | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: Schema | false | undefined;
  $ref?: string | undefined;
};

/* Only the outer parts: the generator's tests cover the rest. */
const schema = z.custom<Schema>((value) => typeof value === "object" && value !== null);
const generated = z
  .object({
    version: z.string(),
    operations: z.record(z.string(), z.object({ parameters: schema, answer: schema })),
    events: z.record(z.string(), z.string()),
    $defs: z.record(z.string(), schema),
  })
  .parse(json);

export const API_VERSION = generated.version;

export function definition(name: string): Schema {
  const found = generated.$defs[name];
  if (!found) throw new Error(`No type ${name} in stripe-schema.json`);
  return found;
}

export function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : definition(schema.$ref.replace("#/$defs/", ""));
}

export function eventObject(type: string): string | undefined {
  return generated.events[type];
}

export type FoundOperation = { name: string; id: string; parameters: Schema; answer: Schema };

const patterns = Object.entries(generated.operations).map(([name, { parameters, answer }]) => {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, pattern: new RegExp(`^${path.replace(":id", "([^/]+)")}$`), parameters, answer };
});

export function findOperation(method: string, path: string): FoundOperation | undefined {
  const ofMethod = patterns.filter((one) => one.method === method);
  const fixed = ofMethod.filter(({ name }) => !name.includes(":id"));
  for (const { name, pattern, parameters, answer } of [...fixed, ...ofMethod]) {
    const match = pattern.exec(path);
    if (match) return { name, id: decodeURIComponent(match[1] ?? ""), parameters, answer };
  }
  return undefined;
}
