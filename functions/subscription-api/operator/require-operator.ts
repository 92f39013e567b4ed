import type { Context, MiddlewareHandler } from "hono";
import { auth } from "hono/utils/basic-auth";
import { senderOf } from "../../../app/contract/sender";
import type { Config } from "../config";
import type { ApiContext } from "../http/context";
import { isOverLimit, tooManyRequests } from "../http/guard/rate-limit";
import { isOneOf } from "../http/guard/secrets";
import { problem } from "../http/problem";
import { log } from "../log";
import { accessUser } from "./cloudflare-access";

/** What a wrong token counts in OPERATOR_RATE_LIMIT, where a right one counts 1. */
const WRONG_TOKEN_COUNTS = 6;

/**
 * Lets in whoever has the OPERATOR_TOKEN, as a bearer token or as the password that a browser asks for (RFC 7617), and
 * whom Cloudflare Access has let through. A sender of many wrong tokens is locked out, with the right one too. Sets
 * `operator`, which the log names.
 */
export const requireOperator: MiddlewareHandler<ApiContext> = async (c, next) => {
  const { config } = c.var;
  if (config.operatorToken === undefined && config.access === undefined) return problem(404, { title: "Not found" });
  const sender = senderOf(c.req.header("cf-connecting-ip") ?? null);
  if (await isOverLimit(config.limits.operator, sender)) {
    log("warn", "operator_locked_out");
    return tooManyRequests();
  }
  const given = tokenIn(c);
  const operator = await operatorOf(c, given, config);
  if (operator === undefined) {
    log("warn", "operator_refused");
    // A browser asks for the page before it asks its user for the token.
    const counts = given === undefined ? 1 : WRONG_TOKEN_COUNTS;
    for (let more = 1; more < counts; more += 1) await isOverLimit(config.limits.operator, sender);
    const isBrowser = c.req.header("accept")?.includes("text/html");
    const challenge = isBrowser ? 'Basic realm="Operator", charset="UTF-8"' : "Bearer";
    return problem(401, { title: "The operator token is missing or wrong" }, { "www-authenticate": challenge });
  }
  c.set("operator", operator);
  return next();
};

function tokenIn(c: Context<ApiContext>): string | undefined {
  const bearer = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1];
  return bearer ?? auth(c.req.raw)?.password;
}

async function operatorOf(
  c: Context<ApiContext>,
  given: string | undefined,
  { operatorToken, access }: Config,
): Promise<string | undefined> {
  if (operatorToken !== undefined && given !== undefined && isOneOf(given, [operatorToken])) return "token";
  return access && accessUser(c.req.header("cf-access-jwt-assertion"), access);
}
