import type { Fact } from "../fact";
import type { SimulatorWorld } from "../simulator-world";
import { DAY, dayOf, HOUR, newTrial, STANDARD } from "./situations";

/** A first charge that failed. */
const UNPAID = { status: "past_due", invoice: "open", cents: STANDARD, attempts: 1, paid: "0" };

export const charges: Fact[] = [
  {
    situation:
      "a trial's end makes an invoice, which is charged about an hour later, as is each month's, on the last day of short months",
    async calls(world) {
      const trial = await newTrial(world, { from: Date.UTC(2027, 0, 26, 12) / 1000 });
      await trial.endTrial();
      const ended = await trial.state();
      await trial.charge();
      const charged = await trial.state();
      const periodEnd = async () => (await trial.read()).items.data[0]?.current_period_end ?? 0;
      const ends = [await periodEnd()];
      while (ends.length < 3) {
        await trial.clock.advance((ends.at(-1) ?? 0) + 2 * HOUR);
        ends.push(await periodEnd());
      }
      const { status } = await trial.read();
      return { ended, charged, first: dayOf(trial.end), next: ends.map(dayOf), paid: await trial.paid(), status };
    },
    comes: {
      ended: { status: "active", invoice: "draft", cents: STANDARD, attempts: 0 },
      charged: { status: "active", invoice: "paid", cents: STANDARD, attempts: 1 },
      ...{ first: "2027-01-31", next: ["2027-02-28", "2027-03-31", "2027-04-30"] },
      ...{ paid: [STANDARD, STANDARD, STANDARD, 0], status: "active" },
    },
    page: "https://docs.stripe.com/billing/subscriptions/billing-cycle",
  },
  {
    situation: "a first charge that is declined, or whose bank asks its absent owner, leaves the subscription past due",
    async calls(world) {
      const charged = async (card: string) => {
        const trial = await newTrial(world, { card });
        await trial.charge();
        return { ...(await trial.state()), paid: (await trial.paid()).join() };
      };
      const [declined, asked] = ["pm_card_chargeCustomerFail", "pm_card_authenticationRequired"];
      return { declined: await charged(declined), asked: await charged(asked) };
    },
    comes: { declined: UNPAID, asked: UNPAID },
    page: "https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses",
  },
];

export const simulatedCharges: Fact<SimulatorWorld>[] = [
  {
    situation: "a failed charge is tried again after 3, 5 and 7 days, and then the subscription is canceled",
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
