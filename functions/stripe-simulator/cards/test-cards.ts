import { cardError, type StripeFailure } from "../api/errors";

/** What a card does when it is set up and, later, when it is charged without its owner. */
export type CardOutcome = {
  challenge?: "page" | "dialog";
  /** Why the card cannot be set up, even after the bank's challenge. */
  declined?: StripeFailure;
  chargeFails?: true;
};

const declined = (decline_code: string, message = "Your card was declined.") =>
  cardError("card_declined", message, { decline_code });

const TRY_AGAIN = "An error occurred while processing your card. Try again in a little bit.";
const TOO_OFTEN = "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.";

/** Cards that Stripe documents for one behavior: https://docs.stripe.com/testing */
const SPECIAL_CARDS: Record<string, CardOutcome> = {
  "4000000000000002": { declined: declined("generic_decline") },
  "4000000000009995": { declined: declined("insufficient_funds", "Your card has insufficient funds.") },
  "4000000000009987": { declined: declined("lost_card") },
  "4000000000009979": { declined: declined("stolen_card") },
  "4000000000006975": { declined: declined("card_velocity_exceeded", TOO_OFTEN) },
  "4000000000000069": { declined: cardError("expired_card", "Your card has expired.", { param: "exp_month" }) },
  "4000000000000127": {
    declined: cardError("incorrect_cvc", "Your card's security code is incorrect.", { param: "cvc" }),
  },
  "4000000000000119": { declined: cardError("processing_error", TRY_AGAIN, {}) },
  // Can be set up, but each charge is declined.
  "4000000000000341": { chargeFails: true },
  // Radar's default rules block their charges.
  "4100000000000019": { chargeFails: true },
  "4000000000004954": { chargeFails: true },
  // In a browser, Stripe.js shows each challenge in a dialog. One card leaves the page here, so that this can be tried too.
  "4000002500003155": { challenge: "page" },
  // The bank asks again for each charge, when nobody is there to answer.
  "4000002760003184": { challenge: "dialog", chargeFails: true },
  "4000008260003178": { challenge: "dialog", chargeFails: true },
  "4000000000003220": { challenge: "dialog" },
  "4000008400000027": { challenge: "dialog" },
  "4000008400001629": { challenge: "dialog", declined: declined("generic_decline") },
  "4000008400001280": { declined: declined("generic_decline") },
};

/** Payment methods that stand for test cards in calls without a browser: https://docs.stripe.com/testing?testing-method=payment-methods */
export const TEST_PAYMENT_METHODS: Record<string, string> = {
  pm_card_visa: "4242424242424242",
  pm_card_mastercard: "5555555555554444",
  pm_card_amex: "378282246310005",
  pm_card_visa_chargeDeclined: "4000000000000002",
  pm_card_visa_chargeDeclinedInsufficientFunds: "4000000000009995",
  pm_card_visa_chargeDeclinedLostCard: "4000000000009987",
  pm_card_visa_chargeDeclinedStolenCard: "4000000000009979",
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: "4000000000006975",
  pm_card_chargeDeclinedExpiredCard: "4000000000000069",
  pm_card_chargeDeclinedIncorrectCvc: "4000000000000127",
  pm_card_chargeDeclinedProcessingError: "4000000000000119",
  pm_card_chargeCustomerFail: "4000000000000341",
  pm_card_authenticationRequiredOnSetup: "4000002500003155",
  pm_card_authenticationRequired: "4000002760003184",
};

/** The documented cards that work: by brand, by country, and those whose behavior begins after a successful charge. */
export const WORKING_CARDS = `
  4242424242424242 4000056655665556 5555555555554444 2223003122003222 5200828282828210 5105105105105100
  378282246310005 371449635398431 6011111111111117 6011000990139424 6011981111111113 3056930009020004 36227206271667
  6555900000604105 3566002020360505 6200000000000005 6200000000000047 6205500000000000004

  4000002500001001 5555552500001001 4000050360000001 5555050360000080 4000051230000072 5200828282828897

  4000000320000021 4000000760000002 4000001240000000 4000001520000001 4000001700000003 4000001880000005
  4000002180000000 4000004840008001 5062210000000009 4000005910000000 4000006000000066 4000006040000068
  4000008580000003 4000007840000001 5200007840000022 4000000400000008 4000000560000004 4000001000000000
  4000001120000005 4000001910000009 4000001960000008 4000002030000002 4000002080000001 4000002330000009
  4000002460000001 4000002500000003 4000002760000016 4000002920000005 4000003000000030 4000003480000005
  4000003720000005 4000003800000008 4000004280000005 4000004380000004 4000004400000000 4000004420000006
  4000004700000007 4000005280000002 4000005780000007 4000006160000005 4000006200000007 4000006420000001
  4000006820000007 4000007050000006 4000007030000001 4000007240000007 4000007520000008 4000007560000009
  4000008260000000 4000058260000005 5555558265554449 4000000360000006 4000001560000002 4000003440000004
  4000003560000008 4000003920000003 3530111333300000 4000004580000002 4000005540000008 4000007020000003
  4000001580000008 4000007640000003 4000057640000008

  4000000000009235 4000000000000101 4000000000000036 4000058400307872 4000058400306072 4000000000000028
  4000000000000010 4000000000000044 4000000000000259 4000000000002685 4000000000001976 4000000000005423
  4000000404000079 4000000404000038 4000008400000779 5105008400000002 4000000001000043 4000000404004816
  4000000404005649 5105000300000018 4000000000007726 4000000000005126 4000000000000077 4000003720000278

  4000003800000446 4000000000003055 4000000000003097 4000000032200000 4000582600000094 4000582600000045
  4000582600000102 4000582600000110 4000000000001208 4000000000003725 4001007020000002 4000008260000075
  4001000360000005 4000002760000008`
  .trim()
  .split(/\s+/);

const WORKS: CardOutcome = {};

const NOT_A_TEST_CARD: CardOutcome = {
  declined: declined(
    "test_mode_live_card",
    "Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.",
  ),
};

const OUTCOMES = new Map([
  ...WORKING_CARDS.map((number) => [number, WORKS] as const),
  ...Object.entries(SPECIAL_CARDS),
]);

/** A number that Stripe does not document is declined, as with any test key. */
export function cardOutcome(number = ""): CardOutcome {
  return OUTCOMES.get(number) ?? NOT_A_TEST_CARD;
}
