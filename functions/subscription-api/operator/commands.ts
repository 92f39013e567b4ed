import type { Context } from "hono";
import * as z from "zod";
import { normalizeEmail } from "../../../app/contract/subscription-request";
import type { ApiContext } from "../http/context";
import { problem } from "../http/problem";
import { log } from "../log";
import { reconcilePrices } from "../plans/reconcile-prices";
import { erasePerson, exportPerson } from "../sign-ups/personal-data";

const person = z.object({ email: z.string().transform(normalizeEmail).pipe(z.email()) });

export async function postExport(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const data = await exportPerson(email, c.var.services);
    log("info", "person_exported", { signUps: data.signUps.length, operator: c.var.operator });
    return data;
  });
}

export async function postErase(c: Context<ApiContext>): Promise<Response> {
  return withPerson(c, async (email) => {
    const result = await erasePerson(email, c.var.services);
    log("info", "person_erased", { signUps: result.erased, operator: c.var.operator });
    return result;
  });
}

export async function postCatalogue(c: Context<ApiContext>): Promise<Response> {
  const prices = await reconcilePrices(c.var.services);
  log("info", "catalogue_reconciled", {
    created: prices.filter(({ created }) => created).length,
    operator: c.var.operator,
  });
  return answer({ prices });
}

async function withPerson(c: Context<ApiContext>, work: (email: string) => Promise<unknown>): Promise<Response> {
  const parsed = person.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) return problem(422, { title: "The body must be JSON with an email" });
  return answer(await work(parsed.data.email));
}

function answer(body: unknown): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}
