import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { html } from "hono/html";
import * as z from "zod";
import { FUNNEL_STEPS } from "../../../../app/contract/funnel-steps";
import { commit } from "../../../../app/shared/release";
import { databaseOver } from "../../database";
import type { ApiContext } from "../../http/api-context";
import { neitherKeptNorFound } from "../../http/html-page";
import { log } from "../../log";
import { type MessageKind, sentKinds } from "../../outbox/outbox";
import type { StuckMessage } from "../../outbox/stuck-messages";
import type { Erasure } from "../erasures";
import { barChart, barTable } from "./bar-chart";
import { countsOfFunnel } from "./funnel-counts";
import { operatorLayout, operatorPageHeaders } from "./layout";
import { lastDays, signUpsByDay } from "./statistics";

const DAYS = 30;
const MOST_MESSAGES = 100;
const MOST_ERASURES = 20;
const STATUSES = {
  pending: "Waiting for a card",
  card_set_up: "Card set up",
  trialing: "On trial",
  active: "Active",
  past_due: "Payment overdue",
  canceled: "Canceled",
  ended: "Ended",
};
const MESSAGES: Record<MessageKind, string> = {
  "trial-started": "Email: trial started",
  "trial-ending": "Email: trial ending",
  "card-used": "Email: card used before",
  "charge-reported": "Email: charge reported",
  "account-created": "Account webhook: created",
  "email-verified": "Account webhook: email confirmed",
  "account-closed": "Account webhook: closed",
};

const which = z.union([z.object({ all: z.literal("dead") }), z.object({ key: z.string().min(1).max(200) })]);
type Which = z.output<typeof which>;

/** Behind `requireOperator`, without a script. */
export const operatorPage = new Hono<ApiContext>();

operatorPage.use(operatorPageHeaders, neitherKeptNorFound);

operatorPage.get("/", async (c) => {
  const { config, services } = c.var;
  const [counts, steps, messages, dead, erasures] = await Promise.all([
    signUpsByDay(databaseOver(config.d1), DAYS),
    config.funnelReader && countsOfFunnel(config.funnelReader, DAYS),
    services.stuckMessages.list(sentKinds(services.accountWebhook !== undefined), MOST_MESSAGES),
    services.outbox.countDead(),
    services.erasures.list(MOST_ERASURES),
  ]);
  const sentAgain = c.req.query("sent-again");
  const bars = lastDays(DAYS).map((day) => ({
    label: day,
    values: new Map(counts.filter((count) => count.day === day).map(({ status, n }) => [status, n])),
  }));
  const body = html`${sentAgain !== undefined && html`<p role="status" class="notice">${notice(Number(sentAgain))}</p>`}
<section aria-labelledby="sign-ups"><h2 id="sign-ups">Sign-ups</h2>
${barChart(`Sign-ups in the last ${DAYS} days by start day (UTC) and current status`, STATUSES, bars)}
<p>Unfinished sign-ups are deleted after a day.</p></section>
<section aria-labelledby="funnel"><h2 id="funnel">Funnel</h2>
${funnelTable(steps, config.funnelReader !== undefined)}</section>
<section aria-labelledby="messages"><h2 id="messages">Delayed or failed messages</h2>
${messageTable(messages, dead)}</section>
<section aria-labelledby="erasures"><h2 id="erasures">Erased people</h2>
${erasureTable(erasures)}</section>
<footer><p>Release ${config.release}, commit ${commit}. ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC.</p></footer>`;
  return c.html(operatorLayout("Operator", body));
});

operatorPage.get("/send-again", async (c) => {
  const wanted = which.safeParse(c.req.query());
  if (!wanted.success) return c.redirect("/operator", 303);
  const title = "all" in wanted.data ? "Resend all failed messages?" : "Resend this message?";
  const body = html`<p>${await described(c, wanted.data)}</p>
<p>A receiver that already has a message gets it with the same key and counts it once.</p>
<form method="post">${Object.entries(wanted.data).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Resend</button> <a href="/operator">Back</a></form>`;
  return c.html(operatorLayout(title, body));
});

operatorPage.post("/send-again", csrf(), async (c) => {
  const wanted = which.safeParse(await c.req.parseBody());
  if (!wanted.success) return c.redirect("/operator", 303);
  const { stuckMessages } = c.var.services;
  const count =
    "all" in wanted.data ? await stuckMessages.sendDeadAgain() : Number(await stuckMessages.sendAgain(wanted.data.key));
  log("info", "messages_sent_again", { count, operator: c.var.operator });
  c.var.dispatchAfterResponse();
  return c.redirect(`/operator?sent-again=${count}`, 303);
});

function notice(count: number): string {
  if (count === 1) return "Resending 1 message.";
  return count > 1 ? `Resending ${count} messages.` : "Nothing to resend: it was sent or is being sent.";
}

async function described(c: Context<ApiContext>, wanted: Which): Promise<string> {
  if ("key" in wanted) return `The message ${wanted.key}.`;
  return `${await c.var.services.outbox.countDead()} messages.`;
}

function funnelTable(steps: ReadonlyMap<string, number> | undefined, isConfigured: boolean) {
  if (!isConfigured)
    return html`<p>Set FUNNEL_SQL_URL, FUNNEL_SQL_TOKEN and FUNNEL_DATASET to see the funnel here.</p>`;
  if (steps === undefined) return html`<p>Analytics Engine did not answer. Load the page again in a minute.</p>`;
  const rows = Object.entries(FUNNEL_STEPS).map(([step, label]) => ({ label, value: steps.get(step) ?? 0 }));
  return barTable(`Steps of sign-ups in the last ${DAYS} days`, rows);
}

function messageTable(messages: StuckMessage[], dead: number) {
  if (messages.length === 0) return html`<p>None.</p>`;
  return html`${
    dead > 0 &&
    html`<form method="get" action="/operator/send-again"><input type="hidden" name="all" value="dead">
<p>${dead} failed. <button type="submit">Resend all</button></p></form>`
  }
<div class="scroll" role="region" tabindex="0" aria-labelledby="messages"><table>
<thead><tr><th scope="col">Message</th><th scope="col">State</th><th scope="col">Action</th><th scope="col">Attempts</th><th scope="col">Since (UTC)</th><th scope="col">Next</th><th scope="col">Sign-up</th></tr></thead>
<tbody>${messages.map(
    ({ key, kind, sign_up_id, state, attempts, created_at, next_attempt_at }) => html`<tr>
<td>${MESSAGES[kind]}</td><td>${state === "dead" ? "failed" : "delayed"}</td>
<td><form method="get" action="/operator/send-again"><input type="hidden" name="key" value="${key}"><button type="submit" aria-label="Resend ${key}">Resend</button></form></td>
<td>${attempts}</td><td>${minuteOf(created_at)}</td><td>${state === "dead" ? "never" : minuteOf(next_attempt_at)}</td><td><code>${sign_up_id}</code></td></tr>`,
  )}</tbody>
</table></div>`;
}

function erasureTable(erasures: Erasure[]) {
  if (erasures.length === 0) return html`<p>None.</p>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="erasures"><table>
<thead><tr><th scope="col">Time (UTC)</th><th scope="col">Sign-ups</th><th scope="col">Customers at Stripe</th><th scope="col">Operator</th></tr></thead>
<tbody>${erasures.map(
    ({ erased_at, sign_ups, customers, operator }) =>
      html`<tr><td>${minuteOf(erased_at)}</td><td>${sign_ups}</td><td>${customers}</td><td>${operator}</td></tr>`,
  )}</tbody>
</table></div>`;
}

function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
