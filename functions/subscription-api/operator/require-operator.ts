import type { Context, MiddlewareHandler } from "hono";
import { auth } from "hono/utils/basic-auth";
import { isOverLimit } from "../../../app/shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import type { Config } from "../config";
import type { ApiContext } from "../http/api-context";
import { tooManyRequests } from "../http/guard/limit-sign-ups";
import { isOneOf } from "../http/guard/secrets";
import { problem } from "../http/problem";
import { errorLog, log } from "../log";
import { accessUser } from "./cloudflare-access";

/** Weight of a wrong token in OPERATOR_RATE_LIMIT; a correct token weighs 1. */
const WRONG_TOKEN_COUNTS = 6;

/** Commands need a bearer token, which browsers never add themselves. Repeated wrong tokens lock out the sender. */
export function requireOperator(what: "page" | "command"): MiddlewareHandler<ApiContext> {
  return async (c, next) => {
    const { config } = c.var;
    if (config.operatorToken === undefined && config.access === undefined) return problem(404, { title: "Not found" });
    const given = what === "page" ? pageCredentials(c) : { token: bearerToken(c) };
    if (given.token === undefined && given.assertion === undefined) return refused(c, what);
    const sender = rateLimitKeyOf(c.req.header("cf-connecting-ip") ?? null);
    if (await isOverLimit(config.limits.operator, sender, errorLog)) {
      log("warn", "operator_locked_out");
      return tooManyRequests();
    }
    const operator = await operatorOf(given, config);
    if (operator !== undefined) {
      c.set("operator", operator);
      return next();
    }
    for (let more = 1; more < WRONG_TOKEN_COUNTS; more += 1) {
      await isOverLimit(config.limits.operator, sender, errorLog);
    }
    return refused(c, what);
  };
}

type Credentials = { token?: string | undefined; assertion?: string | undefined };

function refused(c: Context<ApiContext>, what: "page" | "command"): Response {
  log("warn", "operator_refused");
  const asksForPassword = what === "page" && c.req.header("accept")?.includes("text/html");
  const challenge = asksForPassword ? 'Basic realm="Operator", charset="UTF-8"' : "Bearer";
  return problem(401, { title: "The operator token is missing or wrong" }, { "www-authenticate": challenge });
}

function pageCredentials(c: Context<ApiContext>): Credentials {
  return {
    token: bearerToken(c) ?? auth(c.req.raw)?.password,
    assertion: c.req.header("cf-access-jwt-assertion"),
  };
}

function bearerToken(c: Context<ApiContext>): string | undefined {
  return /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1];
}

async function operatorOf(
  { token, assertion }: Credentials,
  { operatorToken, access }: Config,
): Promise<string | undefined> {
  if (operatorToken !== undefined && token !== undefined && isOneOf(token, [operatorToken])) return "token";
  return access && accessUser(assertion, access);
}
