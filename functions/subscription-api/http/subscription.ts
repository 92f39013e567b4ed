import type { Context } from "hono";
import * as z from "zod";
import { INVALID_EMAIL } from "../../../app/contract/fields/form-fields";
import type { PackageResponse } from "../../../app/contract/package-response";
import { PLAN_RETIRED, TERMS_CHANGED } from "../../../app/contract/problem-types";
import { SHOWN_TERMS_HEADER } from "../../../app/contract/site-headers";
import {
  type SubscriptionRequest,
  subscriptionRequest,
  withoutEmptyFields,
} from "../../../app/contract/subscription-request";
import { someTerms } from "../../../app/contract/terms-schema";
import { parseJson } from "../../../app/shared/http/parse-json";
import { log } from "../log";
import { isSold, type Package } from "../packages";
import { termsOf } from "../sign-up";
import { createSignUp } from "../sign-ups/create-sign-up";
import { signUpStatus } from "../sign-ups/sign-up-status";
import { signUpEnd, statusEnd } from "../sign-ups/timing";
import { advanceToWithdrawal } from "../sign-ups/transitions/advance";
import type { ApiContext } from "./api-context";
import { inProgress, problem, unavailable } from "./problem";

/** Up to 255 printable characters, as in Stripe's own idempotency keys. */
const idempotencyKeyHeader = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const BUSY_SECONDS = "5";

export async function postSubscription(c: Context<ApiContext>): Promise<Response> {
  const key = idempotencyKeyHeader.safeParse(c.req.header("idempotency-key") ?? crypto.randomUUID());
  if (!key.success) return problem(400, { title: "The Idempotency-Key header is invalid" });

  const shown = someTerms.safeParse(parseJson(c.req.header(SHOWN_TERMS_HEADER) ?? "{}"));
  if (!shown.success) return problem(400, { title: `The ${SHOWN_TERMS_HEADER} header is invalid` });

  const request = readRequest(await c.req.text());
  if (request instanceof Response) return request;

  const { services } = c.var;
  // Only after validation, so that an invalid form does not take a slot.
  const slot = services.passwords.acquire();
  if (slot === undefined) return busy();
  const form = {
    request,
    idempotencyKey: key.data,
    shown: shown.data,
    requestId: c.var.requestId,
  };
  const work = createSignUp(form, { ...services, passwords: slot }).finally(() => slot.release());
  // The work continues if the visitor disconnects, to complete the sign-up and release the slot.
  c.executionCtx.waitUntil(work.catch(() => undefined));
  const result = await work;
  if (result.status === "created") log("info", "sign_up_accepted", { signUpId: result.signUp.id });
  c.var.dispatchAfterResponse();
  switch (result.status) {
    case "created":
      return Response.json(
        {
          client_secret: result.clientSecret,
          ...termsOf(result.signUp),
          // The site accepts a status URL only on the origin that it called.
          status_url: services.links.urlOf(
            "status",
            result.signUp.id,
            statusEnd(result.signUp),
            new URL(c.req.url).origin,
          ),
          expires_at: signUpEnd(result.signUp).toISOString(),
        },
        { headers: { "cache-control": "no-store" } },
      );
    case "duplicate":
      return problem(409, {
        title: "A subscription with this information already exists",
        errors: { email: ["This email address has or had a trial"] },
      });
    case "ended":
      return inProgress("The end of an earlier sign-up is still in progress", "1");
    case "terms-changed":
      return problem(409, {
        type: TERMS_CHANGED,
        title: "The terms are worse than the form showed",
        ...termsOf(result.terms),
      });
    case "unknown-package":
      return unprocessable({ package_id: ["Invalid subscription ID"] });
    case "retired-package":
      return problem(422, {
        type: PLAN_RETIRED,
        title: "This plan is no longer available",
        errors: { package_id: ["This plan is no longer available"] },
      });
    case "email-refused":
      return unprocessable({ email: [INVALID_EMAIL] });
    case "key-reused":
      return problem(422, { title: "The Idempotency-Key was used for a different request" });
    case "busy":
      return busy();
  }
}

export function getSubscriptionStatus(c: Context<ApiContext>): Promise<Response> {
  return answerStatus(c, signUpStatus);
}

/** Ends the sign-up if it has no card, and answers with its status: `ended`, or another one because of its card. */
export function endSubscription(c: Context<ApiContext>): Promise<Response> {
  return answerStatus(c, (id, services) => signUpStatus(id, services, advanceToWithdrawal));
}

async function answerStatus(c: Context<ApiContext>, statusOf: typeof signUpStatus): Promise<Response> {
  const { services, dispatchAfterResponse } = c.var;
  const signUpId = services.links.read("status", c.req.param("token") ?? "");
  if (signUpId === undefined) {
    log("warn", "link_refused");
    return problem(404, { title: "Not found" });
  }
  const status = await statusOf(signUpId, services);
  dispatchAfterResponse();
  return Response.json(status, { headers: { "cache-control": "no-store" } });
}

/** What a plan costs, for the form of a plan that is not on the site's price list. */
export async function getPackage(c: Context<ApiContext>): Promise<Response> {
  const found = await c.var.services.packages.find((c.req.param("id") ?? "").toLowerCase());
  return Response.json(packageResponseOf(found), { headers: { "cache-control": "no-store" } });
}

function packageResponseOf(found: Package | null): PackageResponse {
  if (found === null) return { status: "unknown" };
  if (!isSold(found)) return { status: "retired" };
  return { status: "available", price_cents: found.price_cents, currency: "usd" };
}

function busy(): Response {
  log("warn", "sign_ups_busy");
  return unavailable({ title: "Too many sign-ups at once" }, BUSY_SECONDS);
}

function readRequest(text: string): SubscriptionRequest | Response {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return problem(400, { title: "The body must be a JSON object" });
  }
  const { data, error } = subscriptionRequest.safeParse(withoutEmptyFields(body));
  return data ?? unprocessable(z.flattenError(error).fieldErrors);
}

function unprocessable(errors: Record<string, string[]>): Response {
  return problem(422, { title: "Some fields are not valid", errors });
}
