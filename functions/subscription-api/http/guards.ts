import type { MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod";
import { SENDER_HEADER } from "../../../app/contract/site-headers";
import { readBoundedBytes } from "../../../app/shared/bounded-body";
import { isOverLimit, RETRY_AFTER_SECONDS } from "../../../app/shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import { isLoopback, ONLY_THIS_MACHINE } from "../../../app/shared/settings";
import { hasHost, isLocal } from "../local-development";
import { errorLog, log } from "../log";
import type { ApiContext } from "./api-context";
import { problem } from "./problem";

/** `site`: the service binding of the site's Worker. `public`: what the network reaches. */
export type Entrypoint = "public" | "site";

type Guard = MiddlewareHandler<ApiContext>;

/** If local settings are deployed by mistake, they serve only this machine or the HOST of `npm start`. */
export const requireLocalHost: Guard = async (c, next) => {
  if (isLoopback(c.req.url) || !isLocal(c.env) || hasHost(c.env)) return next();
  return problem(421, { title: ONLY_THIS_MACHINE });
};

const cfVisitor = z.object({ scheme: z.string() });

/** Refuses plain http outside local development. A redirect would come after the password was sent. */
export const requireTls: Guard = async (c, next) => {
  if (isLocal(c.env) || (c.req.url.startsWith("https:") && visitorScheme(c.req.header("cf-visitor")) !== "http")) {
    return next();
  }
  return problem(403, { title: "Only https is allowed" });
};

/** https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-visitor */
function visitorScheme(header: string | undefined): string | undefined {
  try {
    return cfVisitor.parse(JSON.parse(header ?? "")).scheme;
  } catch {
    return undefined;
  }
}

const SENDER = /^[0-9A-Za-z.:/]{1,64}$/;

/**
 * Admits the site, which names the visitor's rate limit key in SENDER_HEADER. The public finds nothing here outside local
 * development.
 */
export function requireSite(entrypoint: Entrypoint): Guard {
  return async (c, next) => {
    if (entrypoint === "public" && !c.var.config.isLocal) return problem(404, { title: "Not found" });
    const named = entrypoint === "site" ? c.req.header(SENDER_HEADER) : undefined;
    const isValid = named !== undefined && SENDER.test(named);
    c.set("sender", isValid ? named : rateLimitKeyOf(c.req.header("cf-connecting-ip") ?? null));
    return next();
  };
}

/** Before the body is read: a slow body would turn the 429 into a 408. */
export const limitSignUps: Guard = async (c, next) => {
  if (!(await isOverLimit(c.var.config.signUpLimit, c.var.sender, errorLog))) return next();
  return problem(429, { title: "Too many requests" }, { "retry-after": RETRY_AFTER_SECONDS });
};

/** Commands need the operator's token, which no browser adds by itself. Without a token there are no commands. */
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
/** Enough for 16 KB over a slow mobile connection. */
export const BODY_DEADLINE_MS = 10_000;

/** Buffers the body: 413 if too long, 408 if too slow, 400 if incomplete. Hono's bodyLimit has no deadline. */
export function bodyUpTo(kib: number): Guard {
  return async (c, next) => {
    const milliseconds = BODY_DEADLINE_MS * c.var.config.deadlineFactor;
    const body = await readBoundedBytes(c.req.raw, { bytes: kib * KIB, milliseconds });
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
