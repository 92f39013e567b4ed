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

/** Lets the operator pass: `Authorization: Bearer {OPERATOR_TOKEN}`. Where none is configured there is nothing here. */
export const requireOperator: MiddlewareHandler<ApiContext> = async (c, next) => {
  const { operatorToken } = c.var;
  if (operatorToken === undefined) return problem(404, { title: "There is nothing at this address" });
  const given = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  if (!equal(given, operatorToken)) {
    log("warn", "operator_refused", { requestId: c.var.requestId });
    return problem(401, { title: "The operator's token is missing or wrong" }, { "www-authenticate": "Bearer" });
  }
  return next();
};

/** `POST /operator/export` with `{"email": …}`: what is kept on that person. */
export async function postExport(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const data = await exportPerson(email, c.var.services);
    log("info", "person_exported", { requestId: c.var.requestId, signUps: data.signUps.length });
    return data;
  });
}

/** `POST /operator/erase` with `{"email": …}`: deletes that person here and at Stripe. */
export async function postErase(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const result = await erasePerson(email, c.var.services);
    log("info", "person_erased", { requestId: c.var.requestId, signUps: result.erased });
    return result;
  });
}

/** `POST /operator/catalogue`: gives each package its price at Stripe. */
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
  if (!parsed.success) return problem(422, { title: "The body has to be JSON with an e-mail address" });
  return answer(await work(parsed.data.email));
}

function answer(body: unknown): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}

/** Compares in a time that depends neither on where they differ nor on their lengths. */
function equal(given: string, expected: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
