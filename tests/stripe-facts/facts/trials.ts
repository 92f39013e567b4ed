import type { Fact } from "../fact";
import type { SimulatorWorld } from "../simulator-world";
import type { World } from "../world";
import { DAY, HOUR, MINI, newCustomer, newTrial, refusal, STANDARD, subscribe, TRIAL_DAYS } from "./situations";

const TRIALS = "https://docs.stripe.com/billing/subscriptions/trials";
const CANCEL = "https://docs.stripe.com/billing/subscriptions/cancel";

const INVALID = { status: 400, type: "invalid_request_error" };

export const trials: Fact[] = [
  {
    situation:
      "a trial has its dates, a paid invoice of nothing, its customer's card and its product; its first charge is known: the price, untaxed",
    async calls(world) {
      const trial = await newTrial(world);
      const { id, end } = trial;
      const { subscriptions, invoices } = world.stripe;
      const { trial_start, billing_cycle_anchor } = await trial.read();
      const card = "customer.invoice_settings.default_payment_method";
      const expand = [card, "default_payment_method", "latest_invoice", "items.data.price.product"];
      const shown = await subscriptions.retrieve(id, { expand });
      const { customer, default_payment_method, latest_invoice, items } = shown;
      const owner = typeof customer === "object" && !customer.deleted ? customer.invoice_settings : undefined;
      const [method, product] = [owner?.default_payment_method, items.data[0]?.price.product];
      const { amount_due, subtotal, total, currency, automatic_tax, total_taxes, total_discount_amounts } =
        await invoices.createPreview({ subscription: id });
      return {
        ...(await trial.state()),
        ...{ days: (end - (trial_start ?? 0)) / DAY, anchor: billing_cycle_anchor - end },
        periodEnd: (items.data[0]?.current_period_end ?? 0) - end,
        card: typeof method === "object" ? method?.card?.brand : "not expanded",
        own: String(default_payment_method),
        paid: typeof latest_invoice === "object" ? latest_invoice?.amount_due : "not expanded",
        hasProduct: typeof product === "object" && "name" in product && product.name.startsWith("facts-"),
        charge: { amount_due, subtotal, total, currency, isTaxed: automatic_tax.enabled },
        ...{ taxes: total_taxes?.length ?? 0, discounts: total_discount_amounts?.length ?? 0 },
      };
    },
    comes: {
      ...{ status: "trialing", invoice: "paid", cents: 0, attempts: 0, days: TRIAL_DAYS, anchor: 0, periodEnd: 0 },
      ...{ card: "visa", own: "null", paid: 0, hasProduct: true },
      charge: { amount_due: STANDARD, subtotal: STANDARD, total: STANDARD, currency: "usd", isTaxed: false },
      ...{ taxes: 0, discounts: 0 },
    },
    page: TRIALS,
  },
  {
    situation: "a trial's end is announced three days before",
    async calls(world) {
      const { id, clock, end } = await newTrial(world);
      const announced = async (count: number) =>
        (await world.events(id, ["customer.subscription.trial_will_end"], count)).length;
      await clock.advance(end - 3 * DAY - HOUR);
      const before = await announced(0);
      await clock.advance(end - 3 * DAY + HOUR);
      return { before, after: await announced(1) };
    },
    comes: { before: 0, after: 1 },
    page: "https://docs.stripe.com/api/events/types#event_types-customer.subscription.trial_will_end",
  },
  {
    situation: "a trial without a card, or canceled for its end, runs until then, and ends canceled without a charge",
    async calls(world) {
      const [cardless, canceled] = [await newTrial(world, { card: null }), await newTrial(world)];
      const update = await world.stripe.subscriptions.update(canceled.id, { cancel_at_period_end: true });
      const isAtEnd = update.cancel_at_period_end || update.cancel_at === canceled.end;
      const ends: string[] = [];
      for (const trial of [cardless, canceled]) {
        await trial.charge();
        const amounts = (await trial.invoices()).map(({ amount_due }) => amount_due);
        ends.push(`${(await trial.read()).status}, ${amounts}`);
      }
      return { was: update.status, isAtEnd, ends };
    },
    comes: { was: "trialing", isAtEnd: true, ends: ["canceled, 0", "canceled, 0"] },
    page: CANCEL,
  },
  {
    situation: "a trial whose end is moved is charged at its new end",
    async calls(world) {
      const trial = await newTrial(world);
      const later = trial.end + 10 * DAY;
      const moved = await world.stripe.subscriptions.update(trial.id, { trial_end: later });
      await trial.charge();
      const { status: before } = await trial.state();
      await trial.clock.advance(later + 2 * HOUR);
      const { status: after, cents } = await trial.state();
      return { before, after, cents, anchor: moved.billing_cycle_anchor - later };
    },
    comes: { before: "trialing", after: "active", cents: STANDARD, anchor: 0 },
    page: "https://docs.stripe.com/api/subscriptions/update#update_subscription-trial_end",
  },
  {
    situation: "a plan that is changed during the trial neither ends it nor charges, and its price is the first charge",
    async calls(world) {
      const trial = await newTrial(world);
      const { items, trial_end } = await trial.read();
      const price = (await world.price(MINI)).id;
      const item = { id: items.data[0]?.id ?? "", price };
      await world.stripe.subscriptions.update(trial.id, { items: [item], proration_behavior: "create_prorations" });
      const [changed, { cents: due }] = [await trial.read(), await trial.state()];
      await trial.charge();
      const { status, cents } = await trial.state();
      return { was: changed.status, isEndSame: changed.trial_end === trial_end, due, status, cents };
    },
    comes: { was: "trialing", isEndSame: true, due: 0, status: "active", cents: MINI },
    page: TRIALS,
  },
  {
    situation:
      "what is canceled after a charge ends with the comment, is neither refunded nor charged nor canceled again",
    async calls(world) {
      const trial = await newTrial(world);
      await trial.charge();
      const { subscriptions } = world.stripe;
      const ended = await subscriptions.cancel(trial.id, { cancellation_details: { comment: "not-me" } });
      const again = await refusal(subscriptions.cancel(trial.id));
      await trial.clock.advance(trial.end + 40 * DAY);
      const paid = (await trial.invoices()).map(({ amount_paid }) => amount_paid);
      return { status: ended.status, comment: ended.cancellation_details?.comment, again: again.code, paid };
    },
    comes: { status: "canceled", comment: "not-me", again: "resource_missing", paid: [STANDARD, 0] },
    page: CANCEL,
  },
  {
    situation:
      "a customer's subscriptions are listed with their metadata, the newest first, canceled ones if all are asked",
    async calls(world) {
      const [{ id: customer }, { id: price }] = [await newCustomer(world), await world.price(MINI)];
      for (const sign_up_id of ["first", "second"]) {
        const { id } = await subscribe(world, customer, price, {}, { sign_up_id });
        if (sign_up_id === "first") await world.stripe.subscriptions.cancel(id);
      }
      const listed = async (status?: "all") =>
        (await world.stripe.subscriptions.list({ customer, status, limit: 100 })).data.map(
          ({ metadata }) => metadata.sign_up_id,
        );
      return { all: await listed("all"), running: await listed() };
    },
    comes: { all: ["second", "first"], running: ["second"] },
    page: "https://docs.stripe.com/api/subscriptions/list",
  },
  {
    situation: "a subscription of an archived or unknown price, or of a deleted customer, is refused",
    async calls(world) {
      const [{ id: customer }, { id: deleted }] = [await newCustomer(world), await newCustomer(world)];
      const [{ id: price }, { id: archived }] = [await world.price(MINI), await world.newPrice(MINI)];
      await world.stripe.prices.update(archived, { active: false });
      await world.stripe.customers.del(deleted);
      const { status, type } = await refusal(subscribe(world, customer, archived));
      return {
        archived: { status, type },
        unknown: await refusal(subscribe(world, customer, "price_000000000000000000000000")),
        deleted: await refusal(subscribe(world, deleted, price)),
      };
    },
    comes: {
      archived: INVALID,
      unknown: { ...INVALID, code: "resource_missing", param: "items[0][price]" },
      deleted: { ...INVALID, code: "resource_missing", param: "customer" },
    },
    page: "https://docs.stripe.com/api/subscriptions/create",
  },
];

/** A subscription with Stripe Tax. */
async function subscribeTaxed({ stripe, price }: World, customer: string) {
  return stripe.subscriptions.create({
    ...{ customer, items: [{ price: (await price(STANDARD)).id }], trial_period_days: TRIAL_DAYS },
    automatic_tax: { enabled: true },
    trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
  });
}

export const simulatedTrials: Fact<SimulatorWorld>[] = [
  {
    situation:
      "with Stripe Tax, the first charge's tax is known and comes on top, and an unknown place is known and refused",
    async calls(world) {
      const { customers, invoices } = world.stripe;
      const [known, unknown] = [
        await newCustomer(world),
        await customers.create({ address: { line1: "1 Main Street" } }),
      ];
      const placeOf = async ({ id }: { id: string }) =>
        (await customers.update(id, { metadata: {}, expand: ["tax"] })).tax?.automatic_tax;
      const places = [await placeOf(known), await placeOf(unknown)];
      const { id: subscription } = await subscribeTaxed(world, known.id);
      const { subtotal, total, amount_due, total_taxes, automatic_tax } = await invoices.createPreview({
        subscription,
      });
      const tax = (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
      return {
        ...{ places, code: (await refusal(subscribeTaxed(world, unknown.id))).code },
        ...{ subtotal, tax, isOnTop: total === subtotal + tax && amount_due === total, status: automatic_tax.status },
      };
    },
    comes: {
      ...{ places: ["supported", "unrecognized_location"], code: "customer_tax_location_invalid" },
      ...{ subtotal: STANDARD, tax: 4_000, isOnTop: true, status: "complete" },
    },
    page: "https://docs.stripe.com/tax/customer-locations",
  },
];
