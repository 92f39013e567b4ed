import type { MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { RATE_LIMIT_KEY_HEADER } from "../../../app/contract/site-headers";
import { readBoundedBytes } from "../../../app/shared/http/bounded-body";
import { isOverLimit, RETRY_AFTER_SECONDS } from "../../../app/shared/http/rate-limit";
import { rateLimitKeyOf } from "../../../app/shared/http/rate-limit-key";
import { isLoopback, ONLY_THIS_MACHINE } from "../../../app/shared/settings/settings";
import { hasHost, hasLocalStripe } from "../local-development";
import { log, logFailure } from "../log";
import type { ApiContext } from "./api-context";
import { problem } from "./problem";

/** `site` is reached through the site's service binding, `public` from the network. */
export type Entrypoint = "public" | "site";

type Guard = MiddlewareHandler<ApiContext>;

/** With local settings, which could be deployed by mistake, answers 421 to other machines unless `npm start` was given a HOST. */
export const requireLocalHost: Guard = async (c, next) => {
  if (isLoopback(c.req.url) || !hasLocalStripe(c.env) || hasHost(c.env)) return next();
  return problem(421, { title: ONLY_THIS_MACHINE });
};

/** Answers 403 to plain http outside local development. A redirect would be too late, because the password has already been sent. */
export const requireTls: Guard = async (c, next) => {
  if (hasLocalStripe(c.env) || c.req.url.startsWith("https:")) return next();
  return problem(403, { title: "Only https is allowed" });
};

const RATE_LIMIT_KEY = /^[0-9A-Za-z.:/]{1,64}$/;

/** Admits only the site, with the visitor's rate limit key; in local development, also the network. */
export function requireSite(entrypoint: Entrypoint): Guard {
  return async (c, next) => {
    if (entrypoint === "public" && !c.var.config.isLocal) return problem(404, { title: "Not found" });
    const named = entrypoint === "site" ? c.req.header(RATE_LIMIT_KEY_HEADER) : undefined;
    const isValid = named !== undefined && RATE_LIMIT_KEY.test(named);
    c.set("rateLimitKey", isValid ? named : rateLimitKeyOf(c.req.header("cf-connecting-ip") ?? null));
    return next();
  };
}

/** Answers 429 before reading the body, because waiting for a slow body would end in a 408. */
export const limitSignUps: Guard = async (c, next) => {
  if (!(await isOverLimit(c.var.config.signUpLimit, c.var.rateLimitKey, { failure: logFailure }))) return next();
  return problem(429, { title: "Too many requests" }, { "retry-after": RETRY_AFTER_SECONDS });
};

/** Admits only requests with the operator's token. Without the setting OPERATOR_TOKEN, there are no commands. */
export const requireOperator: Guard = async (c, next) => {
  const { operatorToken: token } = c.var.config;
  if (token === undefined) return problem(404, { title: "Not found" });
  const message = () => {
    log("warn", "operator_refused");
    return problem(401, { title: "The operator token is missing or wrong" }, { "www-authenticate": "Bearer" });
  };
  const refusals = {
    noAuthenticationHeader: { message },
    invalidAuthenticationHeader: { message },
    invalidToken: { message },
  };
  const check: MiddlewareHandler = bearerAuth({ token, ...refusals });
  return check(c, next);
};

const KIB = 1024;
/** Long enough for 16 KiB over a slow mobile connection. */
export const BODY_DEADLINE_MS = 10_000;

/** Reads the body: 413 if it is too long, 408 if too slow, 400 if incomplete. Hono's own bodyLimit has no deadline. */
export function bodyUpTo(kib: number): Guard {
  return async (c, next) => {
    const body = await readBoundedBytes(c.req.raw, { bytes: kib * KIB, milliseconds: BODY_DEADLINE_MS });
    switch (body.status) {
      case "too long":
        return problem(413, { title: `The body is larger than ${kib} KiB` });
      case "too slow":
        return problem(408, { title: "The body did not arrive in time" });
      case "aborted":
        return problem(400, { title: "The body is incomplete" });
      case "read":
        if (c.req.raw.body !== null) c.req.raw = new Request(c.req.raw, { body: body.bytes });
        return next();
    }
  };
}

/** Answers 415 unless the body is `application/json`, which another site's form cannot send. */
export const requireJson: Guard = async (c, next) => {
  const mediaType = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  return mediaType === "application/json" ? next() : problem(415, { title: "The body must be application/json" });
};
