import { type Context, Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import { monthlyPrice } from "../../../app/contract/money";
import { StripeFailure } from "../api/errors";
import { type Form, parseForm, readParameters } from "../api/parameters";
import type { StripeContext } from "../api/router";
import { cardOutcome } from "../cards/test-cards";
import { because, cancelAtPeriodEnd, hasEnded, periodEndOf, updateSubscription } from "../clock/renewals";
import { attach, createPaymentMethod, paymentMethodData } from "../resources/payment-methods";
import { changePrice } from "../resources/subscriptions";
import type { Effects } from "../store/events";
import { type Customer, merge, type Price, type Subscription } from "../store/objects";
import type { Store } from "../store/store";
import { type Html, list, page } from "./layout";

/** The customer portal. Stripe would email a link; here the portal opens at once: https://docs.stripe.com/customer-management */
export const customerPortal = new Hono<StripeContext>();

customerPortal.get("/login/:page", (c) => c.html(loginPage("")));

customerPortal.post("/login/:page", async (c) => {
  const { store } = c.var.account;
  const email = String(parseForm(await c.req.text()).email ?? "").trim();
  const customers = store.list("Customer").filter((one) => one.email === email.toLowerCase());
  const found = customers.find(({ id }) => subscriptionsOf(id, store).length > 0) ?? customers[0];
  if (!found) return c.html(loginPage(email, "No customer with a subscription has this email address."), 404);
  return c.redirect(`/p/session/${found.id}`, 303);
});

customerPortal.get("/session/:customer", (c) => session(c));

customerPortal.post("/session/:customer", async (c) => {
  try {
    act(c.req.param("customer"), parseForm(await c.req.text()), c.var.account.effects());
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return session(c, error.message);
  }
  return c.redirect(c.req.path, 303);
});

const subscriptionsOf = (customer: string, store: Store) =>
  store.list("Subscription", customer).filter((one) => !hasEnded(one));

function act(id: string, { intent, subscription: subscriptionId, card, price }: Form, effects: Effects): void {
  const { store } = effects;
  const customer = store.find("Customer", id);
  const subscription = subscriptionsOf(id, store).find((one) => one.id === subscriptionId);
  if (intent === "card" && customer) changeDefaultCard(customer, card, effects);
  if (!subscription) return;
  const chosen = pricesOf(store).find((one) => one.id === price);
  if (intent === "plan" && chosen) changePrice(subscription, chosen, effects);
  if (intent === "cancel") cancelAtPeriodEnd(subscription, effects);
  if (intent !== "renew") return;
  updateSubscription(subscription, { cancel_at: null, canceled_at: null, ...because(null) }, effects);
}

/** The plans in the configuration that `npm run stripe:setup` created, else every plan. */
function pricesOf(store: Store): Price[] {
  const { products } = store.list("Configuration")[0]?.features.subscription_update ?? {};
  const offered = products?.flatMap(({ prices }) => prices);
  const prices = store
    .list("Price")
    .filter(
      ({ id, active, recurring }) => active && recurring?.interval === "month" && offered?.includes(id) !== false,
    );
  return prices.sort((a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0));
}

function changeDefaultCard(customer: Customer, card: Form[string], effects: Effects): void {
  const { store, emit } = effects;
  const created = createPaymentMethod(readParameters(paymentMethodData, { type: "card", card }), effects);
  const { declined } = cardOutcome(store.get(z.string(), "card", created.id));
  if (declined) throw declined;
  const { id } = attach(created, customer.id, effects);
  const { invoice_settings } = customer;
  const changed = merge(customer, { invoice_settings: { default_payment_method: id } });
  emit("customer.updated", store.save("Customer", changed), { invoice_settings });
}

function loginPage(email: string, problem?: string): Html {
  const content = html`${problem && html`<p role="alert">${problem}</p>`}
    <p>Stripe sends a link to this address. Here the portal opens at once.</p>
    <form method="post">
      <label>Email address <input type="email" name="email" value="${email}" autocomplete="email" aria-required="true" /></label>
      <button>Send</button>
    </form>`;
  return page("Log in to the customer portal", content);
}

/** The email address cannot be changed, because the API finds customers by it. */
function session(c: Context<StripeContext>, problem?: string) {
  const { store } = c.var.account;
  const customer = store.find("Customer", c.req.param("customer"));
  if (!customer) return c.html(page("This session has ended", html``), 404);
  const card = store.find("PaymentMethod", customer.invoice_settings.default_payment_method)?.card;
  const content = html`${problem && html`<p role="alert">${problem}</p>`}
    <p>${customer.name}, ${customer.email}</p>
    <h2>Subscription</h2>
    ${list(subscriptionsOf(customer.id, store), "There is no subscription.", (one) => subscriptionForm(one, store))}
    <h2>Card</h2>
    <p>${card ? `${card.brand} ending in ${card.last4}` : "There is no card."}</p>
    <form method="post">
      <input type="hidden" name="intent" value="card" />
      ${CARD_FIELDS.map(([name, label]) => html`<label>${label} <input name="card[${name}]" inputmode="numeric" aria-required="true" /></label>`)}
      <button>Change card</button>
    </form>`;
  return c.html(page("Customer portal", content), problem ? 402 : 200);
}

const CARD_FIELDS = Object.entries({ number: "Card number", exp_month: "Month", exp_year: "Year", cvc: "CVC" });

function subscriptionForm(subscription: Subscription, store: Store): Html {
  const { id, items, cancel_at } = subscription;
  const current = items.data[0]?.price;
  const nameOf = (price?: Price) =>
    `${store.find("Product", price?.product)?.name}, ${monthlyPrice(price?.unit_amount ?? 0)}`;
  const option = (price: Price) =>
    html`<option value="${price.id}" ${price.id === current?.id ? "selected" : ""}>${nameOf(price)}</option>`;
  const [intent, label] = cancel_at === null ? ["cancel", "Cancel"] : ["renew", "Don't cancel"];
  return html`<form method="post">
    <p><strong>${nameOf(current)}</strong><br />${billingText(subscription)}</p>
    <input type="hidden" name="subscription" value="${id}" />
    <label>Plan <select name="price">${pricesOf(store).map(option)}</select></label>
    <button name="intent" value="plan">Change plan</button>
    <button name="intent" value="${intent}">${label} subscription</button>
  </form>`;
}

function billingText(subscription: Subscription): string {
  const end = new Date((subscription.cancel_at ?? periodEndOf(subscription)) * 1000);
  const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
  if (subscription.cancel_at !== null) return `Canceled: it ends on ${day}.`;
  if (subscription.status === "trialing") return `Free trial. The first payment is on ${day}.`;
  if (subscription.status === "active") return `The next payment is on ${day}.`;
  return "The last payment failed and will be tried again. Change your card.";
}
