import { findProblem, isRecord, type Problem, parameterName } from "../schema/check";
import { decode } from "../schema/decode";
import type { Form } from "../schema/form";
import { resolve, type Schema } from "../schema/schema";
import { invalidRequest, missingParameter } from "./errors";

/** Typed parameters from a form's texts; throws StripeFailure 400 for any that Stripe refuses. */
export function decodeParameters(schema: Schema, form: Form): unknown {
  const decoded = decode(schema, form);
  const problem = findProblem(schema, decoded);
  if (problem) throw refusal(problem);
  checkMetadata(decoded);
  return decoded;
}

/** https://docs.stripe.com/error-codes */
function refusal({ kind, path, expected, value }: Problem) {
  const param = parameterName(path);
  const refuse = (message: string, code?: string) =>
    invalidRequest(message, { ...(code !== undefined && { code }), param });
  if (kind === "unknown") return refuse(`Received unknown parameter: ${param}`, "parameter_unknown");
  if (kind === "missing") return missingParameter(param);
  if (value === "") {
    return refuse(
      `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
      "parameter_invalid_empty",
    );
  }
  const alternatives = expected.anyOf?.map(resolve) ?? [expected];
  const values = alternatives.flatMap((one) => one.enum ?? []).filter((one) => one !== "");
  const types = alternatives.map(({ type }) => type);
  if (values.length > 0) return refuse(`Invalid ${param}: must be one of ${values.join(", ")}`);
  if (types.includes("integer")) return refuse(`Invalid integer: ${String(value)}`, "parameter_invalid_integer");
  if (typeof value === "string" && types.includes("string")) {
    return refuse(`Invalid string: ${value.slice(0, 20)}…; must be at most ${expected.maxLength} characters`);
  }
  return refuse(`Invalid ${types.find((type) => type !== undefined) ?? "value"}`);
}

/** https://docs.stripe.com/metadata#data */
function checkMetadata(given: unknown, path: string[] = []): void {
  if (!isRecord(given)) return;
  for (const [name, value] of Object.entries(given)) {
    if (name === "metadata" && isRecord(value)) checkLimits(value, parameterName([...path, name]));
    else checkMetadata(value, [...path, name]);
  }
}

function checkLimits(metadata: Record<string, unknown>, param: string): void {
  const entries = Object.entries(metadata);
  if (entries.length > 50) {
    throw invalidRequest(`You can specify up to 50 keys in metadata, but you passed in ${entries.length}.`, { param });
  }
  for (const [key, value] of entries) {
    const passed = (what: string, limit: number, text: string) =>
      invalidRequest(
        `Metadata ${what}s can have up to ${limit} characters, but you passed in a ${what} that is ${text.length} characters. Invalid ${what}: ${text}`,
        { param: what === "value" ? `${param}[${key}]` : param },
      );
    if (key.length > 40) throw passed("key", 40, key);
    if (String(value).length > 500) throw passed("value", 500, String(value));
  }
}
