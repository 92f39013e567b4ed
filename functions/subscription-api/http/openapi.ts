import * as z from "zod";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { SENDER_HEADER } from "../../../app/contract/site-headers";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { subscriptionResponse, subscriptionStatus } from "../../../app/contract/subscription-response";
import { BODY_DEADLINE_MS } from "./guards";
import { health } from "./health";
import { problemDetails } from "./problem";

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";

type Json = Record<string, unknown>;
type Operation = {
  summary: string;
  parameters?: Json[];
  requestBody?: z.core.$ZodType;
  success: z.core.$ZodType;
  /** Causes by status. */
  refusals: Record<number, string>;
};

/** Refusals before the request is read. */
const ANYWHERE: Operation["refusals"] = {
  403: "plain http outside local development",
  421: "local settings serve this machine only",
  503: "a wrong setting, maintenance, or Stripe, D1 or the password queue is unavailable",
};
const NOT_THE_SITE = "outside local development only the site's Worker is served";
const TOO_SLOW = `the body did not arrive within ${BODY_DEADLINE_MS / 1000} seconds`;
const IN_PROGRESS = `with the type ${REQUEST_IN_PROGRESS}, the same request is in progress`;
const BODY: Operation["refusals"] = {
  400: "not a JSON object, an incomplete body, or an invalid Idempotency-Key",
  408: TOO_SLOW,
  413: "the body is larger than 16 KiB",
  415: "the body is not application/json",
};
const ERRORS: Operation["refusals"] = {
  500: "an unexpected error",
  502: "an unexpected answer of the payment provider",
};

const operations: Record<string, Record<string, Operation>> = {
  "/subscription": {
    post: {
      summary: "Accepts a sign-up and makes a setup intent for its card",
      parameters: [
        header("Idempotency-Key", "The same key and request give the same sign-up", "^[\\x21-\\x7e]{1,255}$"),
        header("X-Request-Id", "In the logs, and in metadata at Stripe"),
        header(SENDER_HEADER, "Rate limit key of the visitor, from the site's Worker"),
      ],
      requestBody: subscriptionRequest,
      success: subscriptionResponse,
      refusals: {
        ...ANYWHERE,
        ...BODY,
        ...ERRORS,
        404: NOT_THE_SITE,
        409: `the email address has or had a trial; or, ${IN_PROGRESS}`,
        422: "a field is invalid, or the key was used for another request",
        429: "too many sign-ups of one sender",
      },
    },
  },
  "/subscription/status/{token}": {
    get: {
      summary: "The status of a sign-up, at the status_url of its response",
      parameters: [{ name: "token", in: "path", required: true, schema: { type: "string" } }],
      success: subscriptionStatus,
      refusals: { ...ANYWHERE, ...ERRORS, 404: `an unknown or expired token; ${NOT_THE_SITE}`, 409: IN_PROGRESS },
    },
  },
  "/webhooks/stripe": {
    post: {
      summary: "Takes Stripe's events",
      parameters: [header("Stripe-Signature", "https://docs.stripe.com/webhooks#verify-manually")],
      requestBody: z.looseObject({}),
      success: z.object({ received: z.literal(true) }),
      refusals: {
        ...ANYWHERE,
        ...ERRORS,
        400: "the signature is missing, wrong or too old; or a thin event",
        408: TOO_SLOW,
        409: IN_PROGRESS,
        413: "the body is larger than 256 KiB",
      },
    },
  },
  "/health": {
    get: {
      summary: "Whether the service works, and the work that is left",
      success: health,
      refusals: { ...ANYWHERE, 503: "keys names what is wrong" },
    },
  },
};

let document: Json | undefined;

/** The API's description, OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), from the schemas with which it validates. */
export function openApi(): Json {
  document ??= {
    openapi: "3.1.1",
    info: {
      title: "Subscription API",
      version: "1",
      description:
        "What the site needs of an API is POST /subscription and, optionally, the status. docs/subscription-api.md has what no schema can say. The pages under /links are HTML; the commands under /operator are the operator's.",
    },
    paths: mapValues(operations, (methods) => mapValues(methods, describe)),
    components: { schemas: { Problem: schemaOf(problemDetails) } },
  };
  return document;
}

function describe({ success, refusals, requestBody, ...operation }: Operation): Json {
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemaOf(requestBody, "input") } } },
    }),
    responses: {
      200: { description: "Success", content: { [JSON_TYPE]: { schema: schemaOf(success) } } },
      ...mapValues(refusals, responseOf),
    },
  };
}

function responseOf(when: string, status: string): Json {
  const retryAfter = {
    description: "Seconds",
    required: status !== "409",
    schema: { type: "string", pattern: "^\\d+$" },
  };
  const types = status === "409" ? ["about:blank", REQUEST_IN_PROGRESS] : ["about:blank"];
  const schema = { allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { type: { enum: types } } }] };
  return {
    description: when,
    ...(["409", "429", "503"].includes(status) && { headers: { "Retry-After": retryAfter } }),
    content: { [PROBLEM_TYPE]: { schema } },
  };
}

function header(name: string, description: string, pattern?: string): Json {
  return { name, in: "header", required: false, description, schema: { type: "string", ...(pattern && { pattern }) } };
}

/** OpenAPI 3.1 takes JSON Schema 2020-12. A reader of answers ignores fields that it does not know. */
function schemaOf(schema: z.core.$ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  return json;
}

function mapValues<T>(record: Record<string, T>, change: (value: T, key: string) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
