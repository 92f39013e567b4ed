import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { normalizeEmail } from "../../../app/contract/subscription-request";
import { reconcilePrices } from "../catalogue/reconcile-prices";
import { log } from "../log";

import { erasePerson, exportPerson } from "../sign-ups/personal-data";
import type { ApiContext } from "./context";
import { problem } from "./problem";

const person = z.object({ email: z.string().transform(normalizeEmail).pipe(z.email()) });

/** Requires `Authorization: Bearer {OPERATOR_TOKEN}`. */
export const requireOperator: MiddlewareHandler<ApiContext> = async (c, next) => {
  const { operatorToken } = c.var;
  if (operatorToken === undefined) return problem(404, { title: "Not found" });
  const given = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  if (!equal(given, operatorToken)) {
    log("warn", "operator_refused", { requestId: c.var.requestId });
    return problem(401, { title: "The operator token is missing or wrong" }, { "www-authenticate": "Bearer" });
  }
  return next();
};

export async function postExport(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const data = await exportPerson(email, c.var.services);
    log("info", "person_exported", { requestId: c.var.requestId, signUps: data.signUps.length });
    return data;
  });
}

export async function postErase(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const result = await erasePerson(email, c.var.services);
    log("info", "person_erased", { requestId: c.var.requestId, signUps: result.erased });
    return result;
  });
}

export async function postCatalogue(c: Context<ApiContext>): Promise<Response> {
  const prices = await reconcilePrices(c.var.services);
  log("info", "catalogue_reconciled", {
    requestId: c.var.requestId,
    created: prices.filter(({ created }) => created).length,
  });
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

/** Compares in constant time. */
function equal(given: string, expected: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
