import { type Context, Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import { DECLINED, StripeFailure } from "../api/errors";
import { type Form, parseForm, readParameters } from "../api/parameters";
import type { StripeContext } from "../api/router";
import { cardOutcome } from "../cards/cards";
import {
  cancelAtPeriodEnd,
  cancellationDetails,
  hasEnded,
  periodEndOf,
  updateSubscription,
} from "../clock/subscriptions";
import { attach, createPaymentMethod, paymentMethodData } from "../resources/payment-methods";
import { changePrice } from "../resources/subscriptions";
import type { Effects } from "../store/events";
import { type Customer, merge, type Price, previousAttributes, type Subscription } from "../store/objects";
import type { Store } from "../store/store";
import { dollars, type Html, list, page } from "./layout";

/** Stripe sends a link to the address; here the portal opens at once: https://docs.stripe.com/customer-management */
export const customerPortal = new Hono<StripeContext>();

customerPortal.get("/login/:page", (c) => c.html(loginPage(c.req.query("prefilled_email") ?? "")));

customerPortal.post("/login/:page", async (c) => {
  const { store } = c.var.account;
  const email = String(parseForm(await c.req.text()).email ?? "").trim();
  const customers = store.list("Customer").filter((one) => one.email === email.toLowerCase());
  const found = customers.find((one) => subscriptionsOf(one, store).length > 0) ?? customers[0];
  if (!found) return c.html(loginPage(email, "No customer with a subscription has this email address."), 404);
  return c.redirect(`/p/session/${found.id}`, 303);
});

customerPortal.get("/session/:customer", (c) => {
  const customer = customerOf(c);
  return customer
    ? c.html(sessionPage(customer, c.var.account.store))
    : c.html(page("This session has ended", html``), 404);
});

customerPortal.post("/session/:customer", async (c) => {
  const { store, effects } = c.var.account;
  const customer = customerOf(c);
  if (!customer) return c.html(page("This session has ended", html``), 404);
  const form = parseForm(await c.req.text());
  try {
    act(customer, form, effects());
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return c.html(sessionPage(customer, store, error.message), 402);
  }
  return c.redirect(`/p/session/${customer.id}`, 303);
});

const customerOf = (c: Context<StripeContext>) => c.var.account.store.find("Customer", c.req.param("customer"));

const subscriptionsOf = ({ id }: Customer, store: Store) =>
  store.list("Subscription", id).filter((one) => !hasEnded(one));

/** The plans of the configuration made by `npm run stripe:setup`, else every price. */
function pricesOf(store: Store): Price[] {
  const { products } = store.list("Configuration")[0]?.features.subscription_update ?? {};
  const offered = products?.flatMap(({ prices }) => prices);
  const prices = store
    .list("Price")
    .filter(({ id, recurring }) => recurring?.interval === "month" && (offered?.includes(id) ?? true));
  return prices.sort((a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0));
}

function act(customer: Customer, { intent, subscription: id, card, price: priceId }: Form, effects: Effects): void {
  if (intent === "card") changeDefaultCard(customer, card, effects);
  const subscription = subscriptionsOf(customer, effects.store).find((one) => one.id === id);
  if (!subscription) return;
  const price = pricesOf(effects.store).find((one) => one.id === priceId);
  if (intent === "plan" && price) changePrice(subscription, price, effects);
  if (intent === "cancel") cancelAtPeriodEnd(subscription, effects);
  if (intent === "renew") {
    const changes = { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
    updateSubscription(subscription, { ...changes, ...cancellationDetails(subscription, null) }, effects);
  }
}

function changeDefaultCard(customer: Customer, card: Form[string] | undefined, effects: Effects): void {
  const { store } = effects;
  const data = readParameters(paymentMethodData, { type: "card", card: card ?? {} });
  const created = createPaymentMethod(data, effects);
  if (cardOutcome(store.get(z.string(), "card", created.id)) === "declined") throw DECLINED;
  const { id } = attach(created, customer.id, effects);
  const changed = store.save("Customer", merge(customer, { invoice_settings: { default_payment_method: id } }));
  effects.emit("customer.updated", changed, previousAttributes(customer, changed));
}

function loginPage(email: string, problem?: string): Html {
  const content = html`${problem && html`<p role="alert">${problem}</p>`}
    <p>Stripe sends a link to this address. Here the portal opens at once.</p>
    <form method="post">
      <label>Email address <input type="email" name="email" value="${email}" autocomplete="email" required /></label>
      <button>Send</button>
    </form>`;
  return page("Log in to the customer portal", content);
}

/** The customer can change no email address: the API finds its customers by it. */
function sessionPage(customer: Customer, store: Store, problem?: string): Html {
  const card = store.find("PaymentMethod", customer.invoice_settings.default_payment_method)?.card;
  const content = html`${problem && html`<p role="alert">${problem}</p>`}
    <p>${customer.name}, ${customer.email}</p>
    <h2>Subscription</h2>
    ${list(subscriptionsOf(customer, store), "There is no subscription.", (one) => subscriptionForm(one, store))}
    <h2>Card</h2>
    <p>${card ? `${card.brand} ending in ${card.last4}` : "There is no card."}</p>
    <form method="post">
      <input type="hidden" name="intent" value="card" />
      ${CARD_FIELDS.map(
        ([name, label, autocomplete]) =>
          html`<label>${label} <input name="card[${name}]" inputmode="numeric" autocomplete="${autocomplete}" required /></label>`,
      )}
      <button>Change card</button>
    </form>
    <h2>Invoices</h2>
    ${list(
      store.list("Invoice", customer.id),
      "There are no invoices.",
      ({ created, total, status }) => html`${dayOf(created)}: ${dollars(total)}, ${status}`,
    )}`;
  return page("Customer portal", content);
}

const CARD_FIELDS = [
  ["number", "Card number", "cc-number"],
  ["exp_month", "Month", "cc-exp-month"],
  ["exp_year", "Year", "cc-exp-year"],
  ["cvc", "CVC", "cc-csc"],
];

const dayOf = (seconds: number) =>
  new Date(seconds * 1000).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

function subscriptionForm(subscription: Subscription, store: Store): Html {
  const { id, items, cancel_at } = subscription;
  const current = items.data[0]?.price;
  const nameOf = (price: Price | undefined) =>
    `${store.find("Product", price?.product)?.name}, ${dollars(price?.unit_amount ?? 0)} a month`;
  const option = (price: Price) =>
    html`<option value="${price.id}" ${price.id === current?.id ? "selected" : ""}>${nameOf(price)}</option>`;
  return html`<form method="post">
    <p><strong>${nameOf(current)}</strong><br />${billingText(subscription)}</p>
    <input type="hidden" name="subscription" value="${id}" />
    <label>Plan <select name="price">${pricesOf(store).map(option)}</select></label>
    <button name="intent" value="plan">Change plan</button>
    ${
      cancel_at === null
        ? html`<button name="intent" value="cancel">Cancel subscription</button>`
        : html`<button name="intent" value="renew">Don't cancel subscription</button>`
    }
  </form>`;
}

function billingText(subscription: Subscription): string {
  const { status, cancel_at } = subscription;
  if (cancel_at !== null) return `Canceled: it ends on ${dayOf(cancel_at)}.`;
  const end = dayOf(periodEndOf(subscription));
  if (status === "trialing") return `Free trial. The first payment is on ${end}.`;
  if (status === "active") return `The next payment is on ${end}.`;
  return "The last payment failed and will be tried again. Change your card.";
}
