import { Hono } from "hono";
import { html } from "hono/html";
import { TRIAL_DAYS } from "../../../app/contract/plans";
import type { Effects, StripeContext } from "../api/operation-context";
import { moveClock } from "../api/resources/test-clocks";
import { failsNext } from "../clock/charge-invoices";
import { cardToCharge } from "../clock/invoicing";
import { nextStep } from "../clock/schedule";
import { endSubscription, hasEnded, updateSubscription } from "../clock/subscription-lifecycle";
import { clockOf, DAY, HOUR, timeOf } from "../clock/time";
import { parseForm } from "../schema/form";
import type { Customer, Subscription } from "../store/objects";
import { detailOf } from "./event-detail";
import { page, time } from "./page-layout";

const MOVES = [
  ["An hour", HOUR],
  ["A day", DAY],
  [`${TRIAL_DAYS} days`, TRIAL_DAYS * DAY],
  ["A month", 31 * DAY],
] as const;

export const dashboard = new Hono<StripeContext>();

dashboard.get("/", (c) => {
  const { store } = c.var;
  const customers = store.list("Customer").slice(0, 100);
  const list = html`<ul>
    ${customers.map(({ id, name, email }) => {
      const status = store.list("Subscription", id)[0]?.status ?? "no subscription";
      return html`<li><a href="/dashboard/${id}">${name || email || id}</a><br />${email ?? ""}, ${words(status)}</li>`;
    })}
  </ul>`;
  const content = html`${clock(timeOf(store))}
    <h2>Customers</h2>
    ${customers.length > 0 ? list : html`<p>Nobody has signed up yet.</p>`}`;
  return c.html(page("Stripe dashboard", content));
});

dashboard.get("/:id", (c) => {
  const { store } = c.var;
  const customer = store.find("Customer", c.req.param("id"));
  if (!customer) return c.html(page("No such customer", html`<p><a href="/dashboard">Dashboard</a></p>`), 404);
  const subscription = store.list("Subscription", customer.id)[0];
  const events = store.list("Event", customer.id).reverse();
  const content = html`<p><a href="/dashboard">Dashboard</a> · <a href="/p/session/${customer.id}">Customer portal</a></p>
    ${clock(timeOf(store, clockOf(customer)))}
    ${subscription ? facts(customer, subscription, c.var.account.effects()) : html`<p>No subscription yet.</p>`}
    <h2>Timeline</h2>
    <ol>
      ${events.map((event) => html`<li class="columns">${time(event.created * 1000)}<strong>${event.type}</strong><span>${detailOf(event)}</span></li>`)}
    </ol>`;
  return c.html(page(customer.name || customer.email || customer.id, content));
});

dashboard.post("/:id?", async (c) => {
  const { store, account } = c.var;
  const { seconds, action } = parseForm(await c.req.text());
  const customer = store.find("Customer", c.req.param("id") ?? "");
  const effects = account.effects();
  const now = timeOf(store, clockOf(customer));
  if (Number(seconds) > 0) moveClock(clockOf(customer), now + Number(seconds), effects);
  const subscription = customer && store.list("Subscription", customer.id)[0];
  if (subscription && !hasEnded(subscription)) act(String(action), subscription, now, effects);
  return c.redirect(customer ? `/dashboard/${customer.id}` : "/dashboard", 303);
});

function act(action: string, subscription: Subscription, now: number, effects: Effects): void {
  const end = subscription.items.data[0]?.current_period_end ?? now;
  const step = nextStep(subscription, effects);
  if (action === "next" && step) {
    const customer = effects.store.find("Customer", subscription.customer);
    moveClock(clockOf(customer), Math.max(step.at, now), effects);
  }
  if (action === "fail") effects.store.saveSetting(failsNext(subscription.customer), 1);
  if (action === "cancel") endSubscription(subscription, "cancellation_requested", effects);
  if (action === "cancel at the end") {
    const changes = { cancel_at: end, cancel_at_period_end: true, canceled_at: now };
    updateSubscription(subscription, changes, effects);
  }
}

function clock(now: number) {
  return html`<form method="post" class="row">
    <p>It is <strong>${time(now * 1000)}</strong>. Move the clock by:</p>
    ${MOVES.map(([name, seconds]) => html`<button name="seconds" value="${seconds}">${name}</button>`)}
  </form>`;
}

function facts(customer: Customer, subscription: Subscription, effects: Effects) {
  const step = nextStep(subscription, effects);
  const card = cardToCharge(subscription, effects)?.card;
  const willFail = effects.store.setting(failsNext(customer.id)) > 0;
  const amount = (subscription.items.data[0]?.price.unit_amount ?? 0) / 100;
  const buttons = html`<form method="post" class="row">
    <button name="action" value="next">Move the clock to the next step</button>
    <button name="action" value="fail" class="plain">Let the next charge fail</button>
    <button name="action" value="cancel at the end" class="plain">Cancel at the end of the period</button>
    <button name="action" value="cancel" class="plain">Cancel now</button>
  </form>`;
  return html`<p>
      <strong>${words(subscription.status)}</strong>, $${amount} a month,
      ${card ? `${card.brand} ${card.last4}` : "no card"}${willFail ? ", and the next charge will fail" : ""}.
      ${subscription.cancel_at === null ? "" : html`It ends at ${time(subscription.cancel_at * 1000)}.`}
      ${step ? html`Next: ${NAMES[step.does] ?? step.does}, ${time(step.at * 1000)}.` : ""}
    </p>
    ${hasEnded(subscription) ? "" : buttons}`;
}

const NAMES: Record<string, string> = { finalize: "charge the invoice", retry: "try the charge again" };

const words = (status: string) => status.replaceAll("_", " ");
