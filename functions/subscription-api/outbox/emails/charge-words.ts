import { cardName } from "../../../../app/contract/card-name";
import { chargeDay, chargeSentence, plusTax } from "../../../../app/contract/charge-wording";
import { utcDay } from "../../../../app/contract/dates";
import { chargedAmount } from "../../../../app/contract/money";
import type { Amount, ChargePreview, Charges } from "../../stripe/charge-preview";

export type Trial = Pick<ChargePreview, "card" | "plan"> & {
  end: Date;
  trialEndOutcome: ChargePreview["trialEndOutcome"] | { next: "no-plan" };
};

type Row = [name: string, value: string];
export function whatHappens({ trialEndOutcome, card, end }: Trial): string {
  switch (trialEndOutcome.next) {
    case "charge":
      return whatIsCharged(trialEndOutcome, end, card ? cardName(card) : "payment method");
    case "end":
      return trialEndOutcome.why === "canceled"
        ? `You’ve canceled your subscription. It ends on ${utcDay(trialEndOutcome.at)}, and you won’t be charged. If you change your mind, renew it in the customer portal before then.`
        : `Your subscription has no card. It ends on ${utcDay(trialEndOutcome.at)}, and you won’t be charged. To keep it, add a card in the customer portal before then.`;
    case "no-plan":
      return "You haven’t chosen a plan yet, so you won’t be charged. Reply to this email to choose one before the trial ends.";
    case "unknown":
      return "The customer portal shows your next charge and its date.";
  }
}

function whatIsCharged(charges: Charges, end: Date, card: string): string {
  const { first, endsAt } = charges;
  const later = laterCharges(charges);
  const after = later && `${later}${endsAt ? "" : " until you cancel"}`;
  const afterNothing = after ? ` After that, we’ll charge ${after}.` : "";
  const charge = isNothing(first)
    ? `Nothing is due on ${utcDay(end)}, so we won’t charge your ${card} then.${afterNothing}`
    : chargeSentence(end, { amount: amountOrPrice(first), card, after });
  return endsAt ? `${charge} Your subscription ends on ${utcDay(endsAt)}.` : charge;
}
export function paymentDetails({ trialEndOutcome, card, end }: Trial): Row[] {
  const paidWith: Row[] = card ? [["Card", cardName(card)]] : [];
  if (trialEndOutcome.next === "charge") {
    const { first, endsAt } = trialEndOutcome;
    const later = laterCharges(trialEndOutcome, "the same amount ");
    const payment = `${isNothing(first) ? "nothing" : amountOrPrice(first)}, ${chargeDay(end)}`;
    const rows: Row[] = [["First payment", payment]];
    if (later) rows.push(["Then", later]);
    if (endsAt) rows.push(["Subscription ends", utcDay(endsAt)]);
    return [...rows, ...paidWith];
  }
  return trialEndOutcome.next === "unknown" ? paidWith : [["First payment", "none"], ...paidWith];
}

/** For example `$500.00 USD every month`. Undefined if nothing more is charged, or it is unknown when. */
function laterCharges({ first, later, every, isReduced }: Charges, same = ""): string | undefined {
  if (every === null || isNothing(later)) return undefined;
  const amount = `${amountOrPrice(later)}${isReduced ? " less any credit or discount" : ""}`;
  return `${amount === amountOrPrice(first) ? same : `${amount} `}every ${every}`;
}

function isNothing(amount: Amount | null): boolean {
  return amount?.cents === 0;
}

function amountOrPrice(amount: Amount | null): string {
  if (amount === null) return "the price of your plan";
  const { cents, tax } = amount;
  if (tax === "added") return plusTax(chargedAmount(cents), true);
  return tax === 0 ? chargedAmount(cents) : `${chargedAmount(cents)} including ${chargedAmount(tax)} tax`;
}
