import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { senderOf } from "../../../app/contract/sender";
import { normalizeEmail } from "../../../app/contract/subscription-request";
import { reconcilePrices } from "../catalogue/reconcile-prices";
import { log } from "../log";

import { erasePerson, exportPerson } from "../sign-ups/personal-data";
import type { ApiContext } from "./context";
import { isOverLimit, tooManyRequests } from "./guard/rate-limit";
import { isOneOf } from "./guard/secrets";
import { problem } from "./problem";

const person = z.object({ email: z.string().transform(normalizeEmail).pipe(z.email()) });

/** What a wrong token counts in OPERATOR_RATE_LIMIT, where a right one counts 1. */
const WRONG_TOKEN_COUNTS = 6;

/** Requires `Authorization: Bearer {OPERATOR_TOKEN}`. A sender of many wrong ones is locked out, with the right one too. */
export const requireOperator: MiddlewareHandler<ApiContext> = async (c, next) => {
  const { operatorToken, limits } = c.var.config;
  if (operatorToken === undefined) return problem(404, { title: "Not found" });
  const sender = senderOf(c.req.header("cf-connecting-ip") ?? null);
  if (await isOverLimit(limits.operator, sender)) {
    log("warn", "operator_locked_out");
    return tooManyRequests();
  }
  const given = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  if (!isOneOf(given, [operatorToken])) {
    log("warn", "operator_refused");
    for (let more = 1; more < WRONG_TOKEN_COUNTS; more += 1) await isOverLimit(limits.operator, sender);
    return problem(401, { title: "The operator token is missing or wrong" }, { "www-authenticate": "Bearer" });
  }
  return next();
};

export async function postExport(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const data = await exportPerson(email, c.var.services);
    log("info", "person_exported", { signUps: data.signUps.length });
    return data;
  });
}

export async function postErase(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const result = await erasePerson(email, c.var.services);
    log("info", "person_erased", { signUps: result.erased });
    return result;
  });
}

export async function postCatalogue(c: Context<ApiContext>): Promise<Response> {
  const prices = await reconcilePrices(c.var.services);
  log("info", "catalogue_reconciled", { created: prices.filter(({ created }) => created).length });
  return answer({ prices });
}

async function withPerson(c: Context<ApiContext>, work: (email: string) => Promise<unknown>): Promise<Response> {
  const parsed = person.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) return problem(422, { title: "The body must be JSON with an e-mail" });
  return answer(await work(parsed.data.email));
}

function answer(body: unknown): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}
