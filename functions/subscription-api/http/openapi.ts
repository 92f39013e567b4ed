import * as z from "zod";
import { company } from "../../../app/company";
import { packageResponse } from "../../../app/contract/package-response";
import { PLAN_RETIRED, REQUEST_IN_PROGRESS, TERMS_CHANGED } from "../../../app/contract/problem-types";
import { RATE_LIMIT_KEY_HEADER, SHOWN_TERMS_HEADER } from "../../../app/contract/site-headers";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { subscriptionResponse, subscriptionStatus } from "../../../app/contract/subscription-response";
import { someTerms } from "../../../app/contract/terms-schema";
import { BODY_DEADLINE_MS } from "./guards";
import { problemDetails } from "./problem";

type Json = Record<string, unknown>;

type Refusals = Record<number, string>;

const NOT_THE_SITE = "outside local development only the site's Worker is served";
const IN_PROGRESS = `with the type ${REQUEST_IN_PROGRESS}, the same request is in progress`;
const ANY_OPERATION: Refusals = {
  403: "plain http outside local development",
  421: "local settings serve this machine only",
  500: "an unexpected error",
  502: "an unexpected answer from the payment provider",
  503: "a wrong setting, maintenance, or Stripe, D1 or the password limiter is unavailable",
};
const SIGN_UP: Refusals = {
  ...ANY_OPERATION,
  400: "not a JSON object, an incomplete body, or an invalid Idempotency-Key",
  404: NOT_THE_SITE,
  408: `the body did not arrive within ${BODY_DEADLINE_MS / 1000} seconds`,
  409: `the email address has or had a trial; ${IN_PROGRESS}; with ${TERMS_CHANGED}, the terms are worse than shown`,
  413: "the body is larger than 16 KiB",
  415: "the body is not application/json",
  422: `a field is invalid; with the type ${PLAN_RETIRED}, the plan is no longer sold; or the key was used for a different request`,
  429: "too many sign-ups from one sender",
};
const PACKAGE: Refusals = { ...ANY_OPERATION, 404: NOT_THE_SITE };
const STATUS: Refusals = { ...ANY_OPERATION, 404: `an unknown or expired token; ${NOT_THE_SITE}`, 409: IN_PROGRESS };

/** The site's calls as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), from the schemas that validate them. */
export function openApi(url: string): Json {
  return {
    openapi: "3.1.1",
    info: {
      title: "Subscription API",
      version: "1",
      description: "For everything that a schema cannot say, see docs/subscription-api.md.",
      contact: { name: company.name, email: company.supportEmail },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url }],
    tags: [{ name: "sign-up", description: "A visitor's sign-up, from the form to the trial" }],
    // The site sends no credentials; outside local development, only its service binding reaches these routes.
    security: [],
    paths: pathsOf(),
    components: { schemas: { Problem: schemaOf(problemDetails) } },
  };
}

const token = { name: "token", in: "path", required: true, schema: { type: "string" } };

function pathsOf(): Json {
  return {
    "/subscription": {
      post: {
        operationId: "createSubscription",
        tags: ["sign-up"],
        summary: "Accepts a sign-up and creates a setup intent for its card",
        description:
          "The trial begins once the card is set up at Stripe with the client_secret. Nothing is charged before it ends.",
        parameters: [
          header("Idempotency-Key", "The same key and request return the same sign-up", "^[\\x21-\\x7e]{1,255}$"),
          header("X-Request-Id", "In the logs, and in metadata at Stripe"),
          {
            ...{
              name: SHOWN_TERMS_HEADER,
              in: "header",
              required: false,
              description: "The terms that the form showed",
            },
            ...contentOf("application/json", schemaOf(someTerms)),
          },
          header(RATE_LIMIT_KEY_HEADER, "The visitor's rate limit key, from the site's Worker"),
        ],
        requestBody: { required: true, ...contentOf("application/json", schemaOf(subscriptionRequest, "input")) },
        responses: responsesOf(subscriptionResponse, SIGN_UP),
      },
    },
    "/subscription/packages/{package_id}": {
      get: {
        operationId: "getPackage",
        tags: ["sign-up"],
        summary: "What a plan costs that is not on the site's price list",
        description: "Optional: without it, the form says that the price is the one that was agreed.",
        parameters: [{ name: "package_id", in: "path", required: true, schema: { type: "string" } }],
        responses: responsesOf(packageResponse, PACKAGE),
      },
    },
    "/subscription/status/{token}": {
      get: {
        operationId: "getSubscriptionStatus",
        tags: ["sign-up"],
        summary: "The status of a sign-up, at the status_url of its response",
        description: "Asks Stripe about the card and begins the trial if the webhook has not come yet.",
        parameters: [token],
        responses: responsesOf(subscriptionStatus, STATUS),
      },
      delete: {
        operationId: "endSubscription",
        tags: ["sign-up"],
        summary: "Ends a sign-up that its visitor replaces or gives up",
        description:
          "Cancels the setup intent, then answers `ended`. If a card is processed or set up, ends nothing and answers with the status. Optional: without it, the site asks Stripe only.",
        parameters: [token],
        responses: responsesOf(subscriptionStatus, STATUS),
      },
    },
  };
}

function responsesOf(success: z.core.$ZodType, refusals: Refusals): Json {
  const entries = Object.entries(refusals).map(([status, when]) => [status, refusal(when, status)]);
  const content = contentOf("application/json", schemaOf(success));
  return { 200: { description: "Success", ...content }, ...Object.fromEntries(entries) };
}

const TYPES: Record<string, string[]> = { 409: [REQUEST_IN_PROGRESS, TERMS_CHANGED], 422: [PLAN_RETIRED] };

function refusal(description: string, status: string): Json {
  const retryAfter = {
    description: "Seconds",
    required: status !== "409",
    schema: { type: "string", pattern: "^\\d+$" },
  };
  const types = ["about:blank", ...(TYPES[status] ?? [])];
  const schema = { allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { type: { enum: types } } }] };
  return {
    description,
    ...(["409", "429", "503"].includes(status) && { headers: { "Retry-After": retryAfter } }),
    ...contentOf("application/problem+json", schema),
  };
}

function contentOf(type: string, schema: Json): Json {
  return { content: { [type]: { schema } } };
}

function header(name: string, description: string, pattern?: string): Json {
  return { name, in: "header", required: false, description, schema: { type: "string", ...(pattern && { pattern }) } };
}

/** JSON Schema 2020-12, as in OpenAPI 3.1. Allows unknown fields, which readers ignore. */
function schemaOf(schema: z.core.$ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  return json;
}
