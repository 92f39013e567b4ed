import type { Fact, UnseenFact } from "../fact";
import { DAY, dayOf, HOUR, newTrial, STANDARD } from "./situations";

const INVOICES = "https://docs.stripe.com/billing/invoices/subscription";

export const charges: Fact[] = [
  {
    situation: "a trial's end makes an invoice, which is charged about an hour later",
    async calls(world) {
      const trial = await newTrial(world);
      await trial.endTrial();
      const ended = await trial.state();
      await trial.charge();
      const { data } = await world.stripe.invoices.list({ subscription: trial.id, status: "paid", limit: 100 });
      return { ended, charged: await trial.state(), paid: data.map(({ amount_paid }) => amount_paid) };
    },
    comes: {
      ended: { status: "active", invoice: "draft", cents: STANDARD, attempts: 0 },
      charged: { status: "active", invoice: "paid", cents: STANDARD, attempts: 1 },
      paid: [STANDARD, 0],
    },
    page: INVOICES,
  },
  ...(
    [
      { card: "pm_card_chargeCustomerFail", what: "whose card is declined" },
      { card: "pm_card_authenticationRequired", what: "whose bank asks the owner, who is not there," },
    ] as const
  ).map(
    ({ card, what }): Fact => ({
      situation: `a first charge ${what} leaves the invoice open and the subscription past due`,
      async calls(world) {
        const trial = await newTrial(world, { card });
        await trial.charge();
        const { data } = await world.stripe.invoices.list({ subscription: trial.id, status: "paid", limit: 100 });
        return { ...(await trial.state()), paid: data.map(({ amount_paid }) => amount_paid) };
      },
      comes: { status: "past_due", invoice: "open", cents: STANDARD, attempts: 1, paid: [0] },
      page: "https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses",
    }),
  ),
  {
    situation: "a subscription that was first charged on the 31st is charged on the last day of shorter months",
    async calls(world) {
      const trial = await newTrial(world, { from: Date.UTC(2027, 0, 26, 12) / 1000 });
      const ends: number[] = [];
      for (let from = trial.end; ends.length < 3; from = ends.at(-1) ?? 0) {
        await trial.clock.advance(from + 2 * HOUR);
        ends.push((await trial.read()).items.data[0]?.current_period_end ?? 0);
      }
      return { first: dayOf(trial.end), next: ends.map(dayOf) };
    },
    comes: { first: "2027-01-31", next: ["2027-02-28", "2027-03-31", "2027-04-30"] },
    page: "https://docs.stripe.com/billing/subscriptions/billing-cycle",
  },
  {
    situation: "each month is charged like the first one",
    async calls(world) {
      const trial = await newTrial(world);
      await trial.charge();
      const { items } = await trial.read();
      await trial.clock.advance((items.data[0]?.current_period_end ?? 0) + 2 * HOUR);
      return {
        paid: (await trial.invoices()).map(({ amount_paid }) => amount_paid),
        status: (await trial.read()).status,
      };
    },
    comes: { paid: [STANDARD, STANDARD, 0], status: "active" },
    page: INVOICES,
  },
];

export const chargesUnseen: UnseenFact[] = [
  {
    situation: "a failed charge is tried again after 3, 5 and 7 days, and then the subscription is canceled",
    notInTestMode: "the schedule, and the cancellation after it, are set in Stripe's dashboard, which no call reads",
    async calls(world) {
      const trial = await newTrial(world, { card: "pm_card_chargeCustomerFail" });
      await trial.charge();
      const waits: number[] = [];
      for (let tried = trial.end + HOUR, next: number | null = tried; next !== null; tried = next) {
        const [invoice] = await trial.invoices();
        next = invoice?.next_payment_attempt ?? null;
        if (next === null) break;
        waits.push((next - tried) / DAY);
        await trial.clock.advance(next + 60);
      }
      const { status, attempts, invoice } = await trial.state();
      return { waits, attempts, status, invoice };
    },
    comes: { waits: [3, 5, 7], attempts: 4, status: "canceled", invoice: "open" },
    page: "https://docs.stripe.com/billing/revenue-recovery/smart-retries",
  },
  {
    situation: "a failed charge that works with a new card makes the subscription active again",
    notInTestMode: "the schedule is set in Stripe's dashboard, which no call reads",
    async calls(world) {
      const trial = await newTrial(world, { card: "pm_card_chargeCustomerFail" });
      await trial.charge();
      const { customer } = trial;
      const { id } = await world.stripe.paymentMethods.attach("pm_card_visa", { customer });
      await world.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
      await trial.clock.advance(trial.end + 4 * DAY);
      return trial.state();
    },
    comes: { status: "active", invoice: "paid", cents: STANDARD, attempts: 2 },
    page: "https://docs.stripe.com/billing/revenue-recovery/smart-retries",
  },
];
