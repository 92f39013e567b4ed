import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { StripeFailure } from "../api/errors";
import type { Effects, StripeContext } from "../api/operation-context";
import { attach, createPaymentMethod } from "../api/resources/payment-methods";
import { DECLINED } from "../api/resources/setup-intents";
import { cardOutcome } from "../cards/cards";
import { cancellationDetails, hasEnded, updateSubscription } from "../clock/subscription-lifecycle";
import { type Form, parseForm } from "../schema/form";
import { type Customer, merge, previousAttributes, type Subscription } from "../store/objects";
import { page } from "./page-layout";

/** Stripe sends a link to the address; here the portal opens at once: https://docs.stripe.com/customer-management */
export const customerPortal = new Hono<StripeContext>();

customerPortal.get("/login/:page", (c) => c.html(loginPage(c.req.query("prefilled_email") ?? "")));

customerPortal.post("/login/:page", async (c) => {
  const { email = "" } = parseForm(await c.req.text());
  const found = customerOf(c, String(email).trim().toLowerCase());
  if (!found) return c.html(loginPage(String(email), "No customer with a subscription has this email address."), 404);
  return c.redirect(`/p/session/${found.id}`, 303);
});

customerPortal.get("/session/:customer", (c) => {
  const customer = c.var.store.find("Customer", c.req.param("customer"));
  if (!customer) return c.html(page("This session has ended", html``), 404);
  return c.html(sessionPage(c, customer));
});

customerPortal.post("/session/:customer", async (c) => {
  const customer = c.var.store.find("Customer", c.req.param("customer"));
  if (!customer) return c.html(page("This session has ended", html``), 404);
  const { intent, subscription: id, card } = parseForm(await c.req.text());
  const subscription = subscriptionsOf(c, customer).find((one) => one.id === id);
  try {
    const effects = c.var.account.effects();
    if (intent === "cancel" && subscription) cancelAtPeriodEnd(subscription, effects);
    if (intent === "renew" && subscription) renew(subscription, effects);
    if (intent === "card" && typeof card === "object") changeDefaultCard(customer, card, effects);
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return c.html(sessionPage(c, customer, error.message), 402);
  }
  return c.redirect(`/p/session/${customer.id}`, 303);
});

function customerOf(c: Context<StripeContext>, email: string): Customer | undefined {
  const customers = c.var.store.list("Customer", undefined, email);
  return customers.find((one) => subscriptionsOf(c, one).length > 0) ?? customers[0];
}

function subscriptionsOf(c: Context<StripeContext>, customer: Customer): Subscription[] {
  return c.var.store.list("Subscription", customer.id).filter((one) => !hasEnded(one));
}

function cancelAtPeriodEnd(subscription: Subscription, effects: Effects): void {
  const cancel_at = Math.max(...subscription.items.data.map((item) => item.current_period_end));
  const canceled_at = effects.now(subscription.customer);
  const why = cancellationDetails(subscription, "cancellation_requested");
  updateSubscription(subscription, { cancel_at, canceled_at, ...why }, effects);
}

function renew(subscription: Subscription, effects: Effects): void {
  const changes = { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
  updateSubscription(subscription, { ...changes, ...cancellationDetails(subscription, null) }, effects);
}

function changeDefaultCard(customer: Customer, { number, exp_month, exp_year, cvc }: Form, effects: Effects): void {
  const { email, name, phone } = customer;
  const card = { number: String(number), exp_month: Number(exp_month), exp_year: Number(exp_year), cvc: String(cvc) };
  const billing_details = { ...(email && { email }), ...(name && { name }), ...(phone && { phone }) };
  const created = createPaymentMethod({ type: "card", card, billing_details }, effects);
  if (cardOutcome(effects.store.cardNumber(created.id) ?? "") === "declined") throw DECLINED;
  const attached = attach(created, customer.id, effects);
  const changed = merge("Customer", customer, { invoice_settings: { default_payment_method: attached.id } });
  effects.store.save("Customer", changed);
  effects.emit("customer.updated", changed, previousAttributes(customer, changed));
}

function loginPage(email: string, problem?: string) {
  return page(
    "Log in to the customer portal",
    html`${problem && html`<p role="alert">${problem}</p>`}
      <p>Stripe sends a link to this address. Here the portal opens at once.</p>
      <form method="post">
        <label>Email address <input type="email" name="email" value="${email}" autocomplete="email" required /></label>
        <button>Send</button>
      </form>`,
  );
}

function sessionPage(c: Context<StripeContext>, customer: Customer, problem?: string) {
  const { store } = c.var;
  const card = store.find("PaymentMethod", customer.invoice_settings.default_payment_method ?? "")?.card;
  const subscriptions = subscriptionsOf(c, customer);
  const invoices = store.list("Invoice", customer.id);
  return page(
    "Customer portal",
    html`${problem && html`<p role="alert">${problem}</p>`}
      <p>${customer.name}, ${customer.email}</p>
      <h2>Subscription</h2>
      ${subscriptions.length === 0 && html`<p>There is no subscription.</p>`}
      ${subscriptions.map(subscriptionForm)}
      <h2>Card</h2>
      <p>${card ? html`<span class="name">${card.brand}</span> ending in ${card.last4}` : "There is no card."}</p>
      <form method="post" class="card">
        <input type="hidden" name="intent" value="card" />
        ${CARD_FIELDS.map(
          ([name, label, autocomplete]) =>
            html`<label>${label} <input name="card[${name}]" inputmode="numeric" autocomplete="${autocomplete}" required /></label>`,
        )}
        <button>Change card</button>
      </form>
      <h2>Invoices</h2>
      ${invoices.length === 0 && html`<p>There are no invoices.</p>`}
      <ul>
        ${invoices.map(
          ({ created, total, status }) =>
            html`<li class="columns"><span>${dayOf(created, "medium")}</span><span>${dollars(total)}</span><span>${status}</span></li>`,
        )}
      </ul>`,
  );
}

const CARD_FIELDS = [
  ["number", "Card number", "cc-number"],
  ["exp_month", "Month", "cc-exp-month"],
  ["exp_year", "Year", "cc-exp-year"],
  ["cvc", "CVC", "cc-csc"],
];

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;

const dayOf = (seconds: number, dateStyle: "long" | "medium" = "long") =>
  new Date(seconds * 1000).toLocaleDateString("en-US", { dateStyle, timeZone: "UTC" });

function subscriptionForm(subscription: Subscription) {
  const { id, items, cancel_at, cancel_at_period_end } = subscription;
  const isCanceled = cancel_at !== null || cancel_at_period_end;
  return html`<form method="post">
    <p><strong>${dollars(items.data[0]?.price.unit_amount ?? 0)} a month</strong><br />${billingText(subscription)}</p>
    <input type="hidden" name="subscription" value="${id}" />
    ${
      isCanceled
        ? html`<button name="intent" value="renew">Don't cancel subscription</button>`
        : html`<button name="intent" value="cancel" class="plain">Cancel subscription</button>`
    }
  </form>`;
}

function billingText({ status, items, cancel_at }: Subscription): string {
  const end = dayOf(cancel_at ?? items.data[0]?.current_period_end ?? 0);
  if (cancel_at !== null) return `Canceled: it ends on ${end}.`;
  if (status === "trialing") return `Free trial. The first payment is on ${end}.`;
  if (status === "active") return `The next payment is on ${end}.`;
  return status === "past_due" ? "The last payment failed and will be tried again. Change your card." : status;
}
