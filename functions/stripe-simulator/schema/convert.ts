import ts from "typescript";

export type Schema = {
  type?: string;
  minLength?: number;
  maxLength?: number;
  enum?: (string | number | boolean | null)[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  $ref?: string;
};

/** `parameters`: a call's input, where null equals "". `answer`: Stripe's output. */
type Direction = "parameters" | "answer";

const ANY_OBJECT: Schema = { type: "object" };

const SHARED_ENUM = 12;

/** Converts types of the `stripe` package to JSON schemas. @param objects names of the objects that answers contain in full */
export function convertTypes(checker: ts.TypeChecker, objects: Set<string>) {
  const definitions: Record<string, Schema> = {};
  const enums = new Map<string, string>();

  function define(name: string, type: ts.Type, overrides: Record<string, Schema> = {}): Schema {
    if (!(name in definitions)) {
      definitions[name] = {};
      definitions[name] = objectSchema(checker.getNonNullableType(type), "answer", overrides);
    }
    return { $ref: `#/$defs/${name}` };
  }

  function convert(type: ts.Type, direction: Direction): Schema {
    if (type.aliasSymbol?.name === "Event") return { $ref: "#/$defs/Event" };
    if (type.isUnion()) return unionSchema(type.types, direction, nameOf(type));
    if (type.flags & ts.TypeFlags.StringLiteral) return { enum: [String((type as ts.StringLiteralType).value)] };
    if (type.flags & ts.TypeFlags.NumberLiteral) return { enum: [Number((type as ts.NumberLiteralType).value)] };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { enum: [checker.typeToString(type) === "true"] };
    if (type.flags & ts.TypeFlags.Null) return { type: "null" };
    if (type.flags & ts.TypeFlags.String || isOtherString(type)) {
      return { type: "string", ...(direction === "parameters" && { minLength: 1 }) };
    }
    if (type.flags & ts.TypeFlags.Number) return { type: direction === "parameters" ? "integer" : "number" };
    if (type.flags & ts.TypeFlags.Boolean) return { type: "boolean" };
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference);
      return { type: "array", items: item ? convert(item, direction) : {} };
    }
    return objectOf(type, direction);
  }

  function objectOf(type: ts.Type, direction: Direction): Schema {
    const name = type.symbol?.name ?? "";
    if (name === "Decimal") return { type: "string" };
    if (objects.has(name) && isStripeObject(type)) return define(name, type);
    if (direction === "answer" && isStripeObject(type) && name !== "ApiList") return ANY_OBJECT;
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    if (index) return { type: "object", additionalProperties: convert(index.type, direction) };
    return objectSchema(type, direction);
  }

  function objectSchema(type: ts.Type, direction: Direction, overrides: Record<string, Schema> = {}): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of checker.getPropertiesOfType(type)) {
      const declared = checker.getTypeOfSymbol(property);
      if (isVoid(declared)) continue;
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      if (!isOptional) required.push(property.name);
      const isOtherMethod = isOptional && isPaymentMethodType(type, property.name);
      const schema = overrides[property.name] ?? (isOtherMethod ? {} : convert(declared, direction));
      properties[property.name] = direction === "parameters" ? withMaxLength(schema, commentOf(property)) : schema;
    }
    if (direction === "answer" && Object.keys(properties).length === 0) return ANY_OBJECT;
    return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
  }

  function unionSchema(types: ts.Type[], direction: Direction, name: string): Schema {
    const kept = types.filter(
      (type) =>
        !isVoid(type) &&
        !(direction === "parameters" && isNull(type)) &&
        !(direction === "parameters" && isEmptyString(type)),
    );
    const isLiteral = (type: ts.Type) => (type.flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral)) !== 0;
    const literals = kept.filter(isLiteral).flatMap((type) => convert(type, direction).enum ?? []);
    const others = kept.filter((type) => !isLiteral(type) && !(literals.length > 0 && isOtherString(type)));
    const isBoolean = others.filter((type) => type.flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const schemas = others
      .filter((type) => !isBoolean || !(type.flags & ts.TypeFlags.BooleanLiteral))
      .map((type) => convert(type, direction))
      .filter((schema, _, all) => schema !== ANY_OBJECT || !all.some(({ type }) => type === "string"));
    const anyOf = [
      ...(literals.length > 0 ? [enumSchema(literals, name)] : []),
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...schemas,
    ];
    if (direction === "parameters" && types.some((type) => isEmptyString(type) || isNull(type)))
      anyOf.push({ enum: [""] });
    const [only] = anyOf;
    return only && anyOf.length === 1 ? only : { anyOf };
  }

  function enumSchema(values: NonNullable<Schema["enum"]>, name: string): Schema {
    if (values.length < SHARED_ENUM) return { enum: values };
    const key = JSON.stringify([...values].sort());
    const known = enums.get(key) ?? unused(name || "Values");
    enums.set(key, known);
    definitions[known] = { enum: values };
    return { $ref: `#/$defs/${known}` };
  }

  function unused(name: string): string {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}${number}`;
      if (!(candidate in definitions)) return candidate;
    }
  }

  const commentOf = (property: ts.Symbol) => ts.displayPartsToString(property.getDocumentationComment(checker));

  const nameOf = ({ aliasSymbol }: ts.Type) =>
    aliasSymbol ? checker.getFullyQualifiedName(aliasSymbol).replace(/^".*"\./, "") : "";

  const isStripeObject = (type: ts.Type) => ["id", "object"].every((name) => type.getProperty(name) !== undefined);

  const isOtherString = (type: ts.Type) => type.isIntersection();

  const isNull = (type: ts.Type) => (type.flags & ts.TypeFlags.Null) !== 0;

  const isEmptyString = (type: ts.Type) => type.isStringLiteral() && type.value === "";

  const isVoid = (type: ts.Type) => (type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) !== 0;

  return {
    define,
    parameters: (type: ts.Type) => convert(type, "parameters"),
    answer: (type: ts.Type) => convert(type, "answer"),
    definitions: () => Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Lengths are only in the comments: "This may be up to *150 characters*." */
function withMaxLength(schema: Schema, comment: string): Schema {
  const [, maximum] = /up to \*?(\d+) characters/i.exec(comment) ?? [];
  if (maximum === undefined) return schema;
  const limit = (one: Schema) => (one.type === "string" ? { ...one, maxLength: Number(maximum) } : one);
  return schema.anyOf ? { anyOf: schema.anyOf.map(limit) } : limit(schema);
}

function isPaymentMethodType(owner: ts.Type, name: string): boolean {
  if (name === "card" || owner.getProperty("card") === undefined) return false;
  return owner.getProperty("sepa_debit") !== undefined && !NOT_A_TYPE.has(name);
}

const NOT_A_TYPE = new Set([
  "allow_redisplay",
  "billing_details",
  "customer",
  "expand",
  "metadata",
  "payment_method",
  "type",
]);
