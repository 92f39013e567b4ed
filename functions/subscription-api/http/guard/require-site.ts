import type { MiddlewareHandler } from "hono";
import { API_SECRET_HEADER, SENDER_HEADER, VERIFIED_HEADER } from "../../../../app/contract/site-headers";
import { rateLimitKeyOf } from "../../../../app/shared/limits/rate-limit-key";
import { log } from "../../log";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";
import { isOneOf } from "./secrets";

export type Entrypoint = "public" | "site";

const SENDER = /^[0-9A-Za-z.:/]{1,64}$/;

/** Admits only the site. Without a secret, production has no such public route (404). */
export function requireSite(entrypoint: Entrypoint): MiddlewareHandler<ApiContext> {
  return async (c, next) => {
    const { siteSecrets, isLocal } = c.var.config;
    const isSite = entrypoint === "site" || isOneOf(c.req.header(API_SECRET_HEADER) ?? "", siteSecrets);
    if (!isSite && siteSecrets.length > 0) {
      log("warn", "site_refused");
      const challenge = { "www-authenticate": API_SECRET_HEADER };
      return problem(401, { title: `The header ${API_SECRET_HEADER} is missing or wrong` }, challenge);
    }
    if (!isSite && !isLocal) return problem(404, { title: "Not found" });
    c.set(
      "sender",
      (isSite && namedSender(c.req.header(SENDER_HEADER))) || rateLimitKeyOf(c.req.header("cf-connecting-ip") ?? null),
    );
    c.set("isVerified", isSite && c.req.header(VERIFIED_HEADER) === "true");
    return next();
  };
}

function namedSender(header: string | undefined): string | undefined {
  return header !== undefined && SENDER.test(header) ? header : undefined;
}
