import type { Context } from "hono";
import * as z from "zod";
import { INVALID_EMAIL } from "../../../app/contract/fields/form-fields";
import { REQUEST_IN_PROGRESS, VERIFICATION_REQUIRED } from "../../../app/contract/problem-types";
import { type SubscriptionRequest, subscriptionRequest } from "../../../app/contract/subscription-request";
import { describeError } from "../../../app/shared/describe-error";
import { parseJson } from "../../../app/shared/parse-json";
import { sleep } from "../../../app/shared/sleep";
import { secondsLeftToday } from "../limits/sign-up-counts";
import { log } from "../log";
import { createSignUp } from "../sign-ups/create-sign-up";
import { giveUpOldest, replaceSignUp } from "../sign-ups/ending/give-up";
import { statusEnd } from "../sign-ups/sign-up";
import { signUpStatus } from "../sign-ups/sign-up-status";
import type { ApiContext } from "./api-context";
import { type Problem, problem } from "./problem";

/** Stripe's own limit for idempotency keys. */
const idempotencyKeyHeader = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** How long the answer waits for the replaced sign-up to end. */
const REPLACED_WITHIN_MS = 1_000;

const BUSY_SECONDS = "5";

export async function postSubscription(c: Context<ApiContext>): Promise<Response> {
  const key = idempotencyKeyHeader.safeParse(c.req.header("idempotency-key") ?? crypto.randomUUID());
  if (!key.success) return problem(400, { title: "The Idempotency-Key header is invalid" });

  const request = readRequest(await c.req.text());
  if (request instanceof Response) return request;

  const { services, sender, isVerified } = c.var;
  // After validation: an invalid form costs no hash.
  const slot = services.passwords.enter(sender);
  if (slot === undefined) return busy();
  const inBackground = (work: Promise<unknown>) => {
    const failed = (error: unknown) => log("error", "background_work_failed", describeError(error));
    c.executionCtx.waitUntil(work.catch(failed));
  };
  const signUpServices = { ...services, passwords: slot, inBackground, requestId: c.var.requestId };
  const work = createSignUp(request, key.data, signUpServices, { sender, isVerified }).finally(() => slot.leave());
  // Continues when the sender disconnects, so that the slot is released.
  c.executionCtx.waitUntil(work.catch(() => undefined));
  const result = await work;
  const replaces = idempotencyKeyHeader.safeParse(c.req.header("replaces-idempotency-key")).data;
  if (result.status === "created") {
    log("info", "sign_up_accepted", { signUpId: result.signUp.id });
    if (replaces !== undefined && replaces !== key.data) {
      const replaced = replaceSignUp(replaces, services);
      inBackground(replaced);
      await Promise.race([replaced.catch(() => undefined), sleep(REPLACED_WITHIN_MS)]);
    }
    inBackground(giveUpOldest(request.email, services));
  }
  c.var.dispatchAfterResponse();
  switch (result.status) {
    case "created":
      return Response.json(
        {
          client_secret: result.clientSecret,
          // At the requested origin: the site accepts no other.
          status_url: await services.links.urlOf(
            "status",
            result.signUp.id,
            statusEnd(result.signUp),
            new URL(c.req.url).origin,
          ),
        },
        { headers: { "cache-control": "no-store" } },
      );
    case "duplicate":
      return problem(409, { title: "A subscription with this information already exists" });
    case "ended":
      return problem(
        409,
        { type: REQUEST_IN_PROGRESS, title: "The end of an earlier try is still in progress" },
        { "retry-after": "1" },
      );
    case "unknown-package":
      return unprocessable({ package_id: ["Invalid subscription ID"] });
    case "email-refused":
      return unprocessable({ email: [INVALID_EMAIL] });
    case "key-reused":
      return problem(422, { title: "The Idempotency-Key was used for another request" });
    case "busy":
      return busy();
    case "too-many":
      return tooMany({});
    case "unverified":
      return tooMany({ type: VERIFICATION_REQUIRED });
  }
}

export async function getSubscriptionStatus(c: Context<ApiContext>): Promise<Response> {
  const { services, dispatchAfterResponse } = c.var;
  const signUpId = await services.links.read("status", c.req.param("token") ?? "");
  if (signUpId === undefined) {
    log("warn", "link_refused");
    return problem(404, { title: "Not found" });
  }
  const status = await signUpStatus(signUpId, services);
  dispatchAfterResponse();
  return Response.json(status, { headers: { "cache-control": "no-store" } });
}

function tooMany(members: Pick<Problem, "type">): Response {
  return problem(
    429,
    { ...members, title: "Too many sign-ups today", detail: "Try again tomorrow, after midnight UTC." },
    { "retry-after": String(secondsLeftToday()) },
  );
}

function busy(): Response {
  log("warn", "sign_ups_busy");
  return problem(503, { title: "Too many sign-ups at once" }, { "retry-after": BUSY_SECONDS });
}

function readRequest(text: string): SubscriptionRequest | Response {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return problem(400, { title: "The body must be a JSON object" });
  }
  const { data, error } = subscriptionRequest.safeParse(body);
  return data ?? unprocessable(z.flattenError(error).fieldErrors);
}

function unprocessable(errors: Record<string, string[]>): Response {
  return problem(422, { title: "Some fields are not valid", errors });
}
