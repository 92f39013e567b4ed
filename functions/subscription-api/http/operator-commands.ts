import type { Context } from "hono";
import * as z from "zod";
import { formFields } from "../../../app/contract/fields/form-fields";
import { isPrice } from "../../../app/contract/money";
import { planName } from "../../../app/contract/plan-name";
import { commit } from "../../../app/shared/settings/release";
import { databaseOver } from "../database";
import { log } from "../log";
import { problemWith, reconcileRestored } from "../operator/after-restore";
import { erasePerson, exportPerson } from "../operator/export-and-erase";
import { signUpsByDay } from "../operator/sign-ups-by-day";
import { sendAgain, stuckMessages } from "../operator/stuck-messages";
import { sentKinds } from "../outbox/outbox";
import { packagesAtStripe, reconcileCatalog } from "../packages";
import type { ApiContext } from "./api-context";
import { problem } from "./problem";

const MOST_MESSAGES = 100;
const STATUS_DAYS = 30;

const person = z.object({ email: formFields.email.rule });
const messages = z.object({ send_again: z.optional(z.string().min(1).max(200)) });
const packageId = z.guid().transform((id) => id.toLowerCase());
const catalog = z.object({
  packages: z.optional(
    z
      .array(
        z.object({
          id: packageId,
          name: planName,
          price_cents: z.int().refine(isPrice),
          status: z.enum(["listed", "custom"]).default("listed"),
        }),
      )
      .min(1),
  ),
  /** A release's, which no longer lists them. */
  retired: z.optional(z.array(packageId)),
  /** An operator's. */
  retired_custom: z.optional(packageId),
});
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const restore = z
  .object({ restored_to: time, stopped_at: time, from: z.optional(z.string()) })
  .transform(({ restored_to, stopped_at, from }) => ({ restoredTo: restored_to, stoppedAt: stopped_at, from }));

/** `POST /operator/{name}` with a bearer token and JSON, from tools/operator, tools/preflight and tools/releases. */
export const COMMANDS = {
  export: command(person, "an email", async ({ email }, { services }) => {
    const data = await exportPerson(email, services);
    log("info", "person_exported", { signUps: data.signUps.length });
    return data;
  }),

  erase: command(person, "an email", async ({ email }, { services }) => {
    const erasure = await erasePerson(email, services);
    if (erasure.status === "waiting") {
      const title = `Waiting until these messages have been sent: ${erasure.waitsFor.join(", ")}`;
      return problem(409, { title, detail: "See npm run messages, then erase again." });
    }
    const { signUps, customers } = erasure;
    log("info", "person_erased", { signUps, customers });
    return { erased: signUps, customers };
  }),

  "after-restore": command(restore, "restored_to and stopped_at", async (given, { config, services }) => {
    const wrong = problemWith(given);
    if (wrong !== undefined) return problem(422, { title: wrong });
    if (!config.inMaintenance) return problem(409, { title: "Set MAINTENANCE to true first" });
    const report = await reconcileRestored(given, services);
    log("info", "database_reconciled", {
      missing: report.missing.length,
      deleted: report.deleted_again,
      held: report.emails_held_back,
      checked: report.checked_again,
    });
    return report;
  }),

  catalog: command(catalog, "nothing, or packages and retired IDs", async (given, { services }) => {
    const known = await services.packages.all();
    const custom = given.packages?.filter(({ status }) => status === "custom").map(({ id }) => id) ?? [];
    const listed = known.find(
      ({ id, status }) => status === "listed" && [...custom, given.retired_custom].includes(id),
    );
    const title = `${listed?.name} (${listed?.id}) is on the price list: change it in app/contract/plans.ts, then deploy`;
    if (listed) return problem(409, { title });
    const retired = [...(given.retired ?? []), given.retired_custom ?? []].flat();
    const unknown = retired.find((id) => !known.some((one) => one.id === id));
    if (unknown !== undefined) return problem(409, { title: `No package has the ID ${unknown}` });
    const change = { packages: given.packages, ...(retired.length > 0 && { retired }) };
    const prices = await reconcileCatalog(services, change);
    log("info", "catalog_reconciled", { created: prices.filter(({ created }) => created).length });
    return { prices };
  }),

  prices: command(z.unknown(), "anything", async (_, { services }) => ({ prices: await packagesAtStripe(services) })),

  messages: command(messages, "send_again, the key of a message, or nothing", async ({ send_again: key }, context) => {
    const { outbox, accountWebhook } = context.services;
    const db = databaseOver(context.config.d1);
    if (key === undefined) {
      const found = await stuckMessages(db, sentKinds(accountWebhook !== undefined), MOST_MESSAGES);
      return { messages: found, dead: await outbox.countDead() };
    }
    if (!(await sendAgain(db, key))) {
      return problem(409, { title: "This message was already sent, is being sent, is due now or does not exist" });
    }
    log("info", "message_sent_again", { key });
    context.dispatchAfterResponse();
    return { sent_again: key };
  }),

  status: command(z.unknown(), "anything", async (_, { config }) => {
    const sign_ups = await signUpsByDay(databaseOver(config.d1), STATUS_DAYS);
    return { release: config.release, commit, days: STATUS_DAYS, sign_ups };
  }),
};

/** @param members what the body must have, for the answer to an invalid body */
function command<T>(
  schema: z.ZodType<T>,
  members: string,
  work: (body: T, context: ApiContext["Variables"]) => Promise<object>,
): (c: Context<ApiContext>) => Promise<Response> {
  return async (c) => {
    const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return problem(422, { title: `The body must be JSON with ${members}` });
    const answer = await work(parsed.data, c.var);
    return answer instanceof Response ? answer : Response.json(answer, { headers: { "cache-control": "no-store" } });
  };
}
