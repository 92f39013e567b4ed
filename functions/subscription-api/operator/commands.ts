import type { Context } from "hono";
import * as z from "zod";
import { normalizeEmail } from "../../../app/contract/fields/form-fields";
import type { ApiContext } from "../http/api-context";
import { problem } from "../http/problem";
import { log } from "../log";
import { reconcilePrices } from "../plans/reconcile-prices";
import { erasePerson, exportPerson } from "../sign-ups/personal-data";
import { reconcileRestored } from "./restore/after-restore";

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const restore = z
  .object({ restored_to: time, stopped_at: time })
  .transform(({ restored_to, stopped_at }) => ({ restoredTo: restored_to, stoppedAt: stopped_at }));

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
    const { operator, services } = c.var;
    log("info", "person_erased", { signUps: result.erased, customers: result.customers, operator });
    if (result.erased + result.customers > 0) {
      await services.erasures.add({ sign_ups: result.erased, customers: result.customers, operator });
    }
    return result;
  });
}

export async function postCatalog(c: Context<ApiContext>): Promise<Response> {
  const prices = await reconcilePrices(c.var.services);
  log("info", "catalog_reconciled", {
    created: prices.filter(({ created }) => created).length,
    operator: c.var.operator,
  });
  return answer({ prices });
}

export async function postAfterRestore(c: Context<ApiContext>): Promise<Response> {
  const parsed = restore.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) return problem(422, { title: "The body must be JSON with restored_to and stopped_at" });
  if (!c.var.config.inMaintenance) return problem(409, { title: "Set MAINTENANCE to true first" });
  const report = await reconcileRestored(parsed.data, c.var.services);
  log("info", "database_reconciled", {
    missing: report.missing.length,
    deleted: report.deleted_again,
    held: report.emails_held_back,
    checked: report.checked_again,
    operator: c.var.operator,
  });
  return answer(report);
}

async function withPerson(c: Context<ApiContext>, work: (email: string) => Promise<unknown>): Promise<Response> {
  const parsed = person.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) return problem(422, { title: "The body must be JSON with an email" });
  return answer(await work(parsed.data.email));
}

function answer(body: unknown): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}
