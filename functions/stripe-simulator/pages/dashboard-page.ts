import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import { monthlyPrice, shortAmount } from "../../../app/contract/money";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { parseForm } from "../api/parameters";
import type { StripeContext } from "../api/router";
import { cardToCharge } from "../clock/invoices";
import { cancelAtPeriodEnd, endSubscription, failsNext } from "../clock/renewals";
import { moveClock, nextStep } from "../clock/steps";
import { DAY, HOUR } from "../clock/time";
import type { Effects } from "../store/events";
import { type Customer, type Event, isRecord, type Subscription } from "../store/objects";
import { type Html, list, page, time } from "./layout";

const MOVES = Object.entries({ "An hour": HOUR, "A day": DAY, "The trial": TRIAL_DAYS * DAY, "A month": 31 * DAY });

export const dashboard = new Hono<StripeContext>();

dashboard.get("/", (c) => {
  const { store, effects } = c.var.account;
  const customers = list(store.list("Customer").slice(0, 100), "Nobody has signed up yet.", ({ id, name, email }) => {
    const { status = "no subscription" } = store.list("Subscription", id)[0] ?? {};
    return html`<a href="/dashboard/${id}">${name || email || id}</a><br />${email ?? ""}, ${words(status)}`;
  });
  return c.html(page("Stripe dashboard", html`${clock(effects().now)}<h2>Customers</h2>${customers}`));
});

dashboard.get("/:id", (c) => {
  const { store, effects } = c.var.account;
  const customer = store.find("Customer", c.req.param("id"));
  if (!customer) return c.html(page("No such customer", html`<p><a href="/dashboard">Dashboard</a></p>`), 404);
  const subscription = store.list("Subscription", customer.id)[0];
  const content = html`<p><a href="/dashboard">Dashboard</a> · <a href="/p/session/${customer.id}">Customer portal</a></p>
    ${clock(effects().now)}
    ${subscription ? facts(customer, subscription, effects()) : html`<p>No subscription yet.</p>`}
    <h2>Timeline</h2>
    ${list(
      store.list("Event", customer.id).reverse(),
      "",
      (event) => html`${time(event.created * 1000)} <strong>${event.type}</strong> ${detailOf(event)}`,
    )}`;
  return c.html(page(customer.name || customer.email || customer.id, content));
});

dashboard.post("/:id?", async (c) => {
  const { store, effects } = c.var.account;
  const { seconds, action } = parseForm(await c.req.text());
  const before = effects();
  if (Number(seconds) > 0) moveClock(before.now + Number(seconds), before);
  const customer = store.find("Customer", c.req.param("id"));
  const subscription = customer && store.list("Subscription", customer.id)[0];
  const step = subscription && nextStep(subscription, effects());
  if (step && action === "next") moveClock(Math.max(step.at, before.now), before);
  if (step && action === "fail") store.set("setting", failsNext(customer.id), true);
  if (step && action === "cancel") endSubscription(subscription, "cancellation_requested", effects());
  if (step && action === "cancel at the end") cancelAtPeriodEnd(subscription, effects());
  return c.redirect(c.req.path, 303);
});

function clock(now: number): Html {
  return html`<form method="post">
    <p>It is <strong>${time(now * 1000)}</strong>. Move the clock by:</p>
    ${MOVES.map(([name, seconds]) => html`<button name="seconds" value="${seconds}">${name}</button>`)}
  </form>`;
}

function facts(customer: Customer, subscription: Subscription, effects: Effects): Html {
  const step = nextStep(subscription, effects);
  const card = cardToCharge(subscription, effects)?.card;
  const willFail = effects.store.get(z.boolean(), "setting", failsNext(customer.id));
  return html`<p>
      <strong>${words(subscription.status)}</strong>, ${monthlyPrice(subscription.items.data[0]?.price.unit_amount ?? 0)},
      ${card ? `${card.brand} ${card.last4}` : "no card"}${willFail ? ", and the next charge will fail" : ""}.
      ${subscription.cancel_at === null ? "" : html`It ends at ${time(subscription.cancel_at * 1000)}.`}
      ${step ? html`Next: ${step.does}, ${time(step.at * 1000)}.` : ""}
    </p>
    <form method="post" ${step ? "" : "hidden"}>
      <button name="action" value="next">Move the clock to the next step</button>
      <button name="action" value="fail">Let the next charge fail</button>
      <button name="action" value="cancel at the end">Cancel at the end of the period</button>
      <button name="action" value="cancel">Cancel now</button>
    </form>`;
}

function detailOf({ type, data }: Event): string {
  const { object, previous_attributes: previous = {} } = data;
  if (!isRecord(object)) return "";
  if (typeof object.total === "number") return shortAmount(object.total);
  if (type !== "customer.subscription.updated") return "";
  if ("status" in previous) return `${words(String(previous.status))} → ${words(String(object.status))}`;
  if ("cancel_at" in previous) return object.cancel_at === null ? "cancellation reversed" : "will be canceled";
  return "latest_invoice" in previous ? "new billing period" : Object.keys(previous).join(", ");
}

const words = (status: string) => status.replaceAll("_", " ");
