import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { REQUEST_IN_PROGRESS, VERIFICATION_REQUIRED } from "../app/contract/problem-types";
import { API_SECRET_HEADER, SENDER_HEADER, VERIFIED_HEADER } from "../app/contract/site-headers";
import { subscriptionRequest } from "../app/contract/subscription-request";
import { subscriptionResponse, subscriptionStatus } from "../app/contract/subscription-response";
import { runTool } from "./failures";

// npm run openapi: writes the reference API's description, which it serves at /openapi.json, from the schemas it runs with.

export const OPENAPI_FILE = fileURLToPath(new URL("../functions/subscription-api/http/openapi.json", import.meta.url));

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";

type Json = Record<string, unknown>;
/** A refusal. `types`: its problem types besides about:blank; `retryAfter`: it may have that header. */
type Refusal = { when: string; types?: string[]; retryAfter?: true };
type Operation = {
  summary: string;
  parameters?: Json[];
  requestBody?: Json;
  success: { when: string; schema: Json };
  refusals: Record<number, Refusal>;
};

const workload = {
  dead_messages: z.int(),
  due_messages: z.int(),
  oldest_due_seconds: z.int(),
  last_cron_run: z.string().nullable(),
  last_stripe_event: z.string().nullable(),
};

const problem = z.object({
  type: z.string().meta({ description: "about:blank, or a type that the operation names" }),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: "Messages by field" }),
  keys: z.array(z.string()).optional().meta({ description: "Settings or parts of the service that are wrong" }),
  ...z.object(workload).partial().shape,
});

const PLAIN_HTTP: Refusal = { when: "plain http outside local development" };
const NOT_LOCAL: Refusal = { when: "local settings serve this machine only" };
const TIMED_OUT: Refusal = { when: "the body did not arrive within ten seconds" };

/** Refusals before the request is read. */
const ANYWHERE: Operation["refusals"] = {
  403: PLAIN_HTTP,
  421: NOT_LOCAL,
  503: { when: "a wrong setting, maintenance, or Stripe, D1 or the password queue is unavailable", retryAfter: true },
};

const SITE_ONLY: Operation["refusals"] = {
  401: { when: `${API_SECRET_HEADER} is missing or wrong` },
  404: { when: "not the site, or an unknown or expired token" },
};

const BODY: Operation["refusals"] = {
  400: { when: "not a JSON object, an incomplete body, or an invalid Idempotency-Key" },
  408: TIMED_OUT,
  413: { when: "the body is larger than 16 KiB" },
  415: { when: "the body is not application/json" },
};

const ERRORS: Operation["refusals"] = {
  500: { when: "an unexpected error" },
  502: { when: "an unexpected answer of the payment provider" },
};

const operations: Record<string, Record<string, Operation>> = {
  "/subscription": {
    post: {
      summary: "Accepts a sign-up and makes a setup intent for its card",
      parameters: [
        header("Idempotency-Key", "The same key and request give the same sign-up", "^[\\x21-\\x7e]{1,255}$"),
        header("Replaces-Idempotency-Key", "Key of a waiting sign-up that this one replaces"),
        header("X-Request-Id", "In the logs, and in metadata at Stripe"),
        header(API_SECRET_HEADER, "Proves that the site sent the request over the network"),
        header(SENDER_HEADER, "Rate limit key of the visitor"),
        header(VERIFIED_HEADER, "true if Turnstile verified the visitor"),
      ],
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemaOf(subscriptionRequest, "input") } } },
      success: { when: "accepted", schema: schemaOf(subscriptionResponse) },
      refusals: {
        ...ANYWHERE,
        ...SITE_ONLY,
        ...BODY,
        ...ERRORS,
        409: {
          when: "the email address has or had a trial; or, with the type, the same request is in progress",
          types: [REQUEST_IN_PROGRESS],
          retryAfter: true,
        },
        422: { when: "a field is invalid, or the key was used for another request" },
        429: {
          when: "too many sign-ups; with the type, Turnstile lifts the limit",
          types: [VERIFICATION_REQUIRED],
          retryAfter: true,
        },
      },
    },
  },
  "/subscription/status/{token}": {
    get: {
      summary: "The status of a sign-up, at the status_url of its response",
      parameters: [{ name: "token", in: "path", required: true, schema: { type: "string" } }],
      success: { when: "known", schema: schemaOf(subscriptionStatus) },
      refusals: { ...ANYWHERE, ...SITE_ONLY, ...ERRORS },
    },
  },
  "/webhooks/stripe": {
    post: {
      summary: "Takes Stripe's events",
      parameters: [header("Stripe-Signature", "https://docs.stripe.com/webhooks#verify-manually")],
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: { type: "object" } } } },
      success: { when: "processed, or of no interest", schema: schemaOf(z.object({ received: z.literal(true) })) },
      refusals: {
        ...ANYWHERE,
        ...ERRORS,
        400: { when: "the signature is missing, wrong or too old; or a thin event" },
        408: TIMED_OUT,
        409: { when: "the same call to Stripe is in progress", types: [REQUEST_IN_PROGRESS], retryAfter: true },
        413: { when: "the body is larger than 256 KiB" },
      },
    },
  },
  "/health": {
    get: {
      summary: "Whether the service works, and the work that is left",
      success: {
        when: "healthy",
        schema: schemaOf(z.object({ status: z.literal("ok"), release: z.string(), commit: z.string(), ...workload })),
      },
      refusals: {
        403: PLAIN_HTTP,
        421: NOT_LOCAL,
        503: { when: "keys names what is wrong" },
      },
    },
  },
};

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

function responseOf(refusal: Refusal): Json {
  const types = ["about:blank", ...(refusal.types ?? [])];
  const problemSchema = {
    allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { type: { enum: types } } }],
  };
  return {
    description: refusal.when,
    ...(refusal.retryAfter && {
      headers: { "Retry-After": { description: "Seconds", schema: { type: "string", pattern: "^\\d+$" } } },
    }),
    content: { [PROBLEM_TYPE]: { schema: problemSchema } },
  };
}

/** The document, OpenAPI 3.1: https://spec.openapis.org/oas/v3.1.1 */
export function openApi(): Json {
  const paths = Object.entries(operations).map(([path, methods]) => {
    const described = Object.entries(methods).map(([method, { success, refusals, ...operation }]) => {
      const answered = { description: success.when, content: { [JSON_TYPE]: { schema: success.schema } } };
      const refused = Object.entries(refusals).map(([status, refusal]) => [status, responseOf(refusal)]);
      return [method, { ...operation, responses: { 200: answered, ...Object.fromEntries(refused) } }];
    });
    return [path, Object.fromEntries(described)];
  });
  return {
    openapi: "3.1.1",
    info: {
      title: "Subscription API",
      version: "1",
      description:
        "What the site needs of an API is POST /subscription and, optionally, the status. docs/subscription-api.md has what no schema can say. The pages under /links and /operator are HTML.",
    },
    paths: Object.fromEntries(paths),
    components: { schemas: { Problem: schemaOf(problem) } },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    writeFileSync(OPENAPI_FILE, `${JSON.stringify(openApi(), null, 2)}\n`);
    console.log(`Written: ${OPENAPI_FILE}`);
    return true;
  });
}
