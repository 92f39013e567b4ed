import type {
  ConfirmSetupData,
  StripeElementsOptionsClientSecret,
  StripeError,
  StripePaymentElementOptions,
} from "@stripe/stripe-js";

/* What the card step relies on in Stripe.js: https://docs.stripe.com/js. Its counterpart for Stripe's API is facts/. */

/** The calls of the card step until a card is sent, with the types of the package: a renamed option does not compile. */
type Calls = [
  ["elements", StripeElementsOptionsClientSecret],
  ["create", "payment", StripePaymentElementOptions],
  ["confirmSetup", { redirect: "if_required"; confirmParams: ConfirmSetupData }],
];

type BillingDetails = Exclude<NonNullable<StripePaymentElementOptions["defaultValues"]>["billingDetails"], undefined>;

/** Values that differ for each visitor. */
export type Visitor = { clientSecret: string; return_url: string; billing_details: BillingDetails };

/** https://docs.stripe.com/js/elements_object/create, …/js/elements_object/create_payment_element and …/js/setup_intents/confirm_setup */
export const callsFor = ({ clientSecret, return_url, billing_details }: Visitor): Calls => [
  [
    "elements",
    {
      clientSecret,
      locale: "en",
      appearance: {
        theme: "stripe",
        variables: { colorPrimary: "#2b3bdb", colorText: "#10132b", colorDanger: "#b3172f", fontSizeBase: "16px" },
      },
    },
  ],
  [
    "create",
    "payment",
    {
      layout: "tabs",
      wallets: { applePay: "never", googlePay: "never", link: "never" },
      defaultValues: { billingDetails: billing_details },
      fields: { billingDetails: { address: { country: "never", postalCode: "never" } } },
    },
  ],
  [
    "confirmSetup",
    { redirect: "if_required", confirmParams: { return_url, payment_method_data: { billing_details } } },
  ],
];

/** An event of the fields, or what a call resolves with. A setup intent is given by its status. */
export type Said =
  | { event: "ready" }
  | { event: "loaderror" }
  | { call: "confirmSetup" | "retrieveSetupIntent"; status: string }
  | { call: "confirmSetup" | "retrieveSetupIntent"; type: StripeError["type"]; code?: string };

type Answer = {
  situation: string;
  /** The setup intent once the page has opened. The site asks Stripe first, and shows no fields for one that is not open. */
  setup: "open" | "canceled" | "succeeded";
  /** What the visitor does with which test card. */
  card?: { number: string; bank?: "complete" | "fail" };
  /** What Stripe.js must say, in this order. */
  says: Said[];
  /** What the visitor then reads, in a heading or a notice. */
  shows: string;
  page: `https://docs.stripe.com/${string}`;
};

const READY: Said = { event: "ready" };
const CONFIRM = "https://docs.stripe.com/js/setup_intents/confirm_setup";
const LOADERROR = "https://docs.stripe.com/js/element/events/on_loaderror";

export const ANSWERS: Answer[] = [
  {
    situation: "an incomplete card is not sent",
    ...{ setup: "open", card: { number: "4242" } },
    says: [READY, { call: "confirmSetup", type: "validation_error" }],
    ...{ shows: "Payment Failed", page: CONFIRM },
  },
  {
    situation: "a declined card can be replaced",
    ...{ setup: "open", card: { number: "4000000000000002" } },
    says: [READY, { call: "confirmSetup", type: "card_error", code: "card_declined" }],
    ...{ shows: "Payment Failed", page: "https://docs.stripe.com/error-codes#card-declined" },
  },
  {
    situation: "a card that works is set up without leaving the page",
    ...{ setup: "open", card: { number: "4242424242424242" } },
    says: [READY, { call: "confirmSetup", status: "succeeded" }],
    ...{ shows: "Subscription Successful!", page: CONFIRM },
  },
  {
    situation: "a bank's question that fails leaves the card step open",
    ...{ setup: "open", card: { number: "4000002760003184", bank: "fail" } },
    says: [READY, { call: "confirmSetup", type: "invalid_request_error", code: "setup_intent_authentication_failure" }],
    ...{ shows: "Payment Failed", page: "https://docs.stripe.com/error-codes#setup-intent-authentication-failure" },
  },
  {
    situation: "a bank's question that is answered sets the card up",
    ...{ setup: "open", card: { number: "4000002760003184", bank: "complete" } },
    says: [READY, { call: "confirmSetup", status: "succeeded" }],
    ...{ shows: "Subscription Successful!", page: CONFIRM },
  },
  {
    situation: "fields for a canceled setup do not load",
    setup: "canceled",
    says: [{ event: "loaderror" }, { call: "retrieveSetupIntent", status: "canceled" }],
    ...{ shows: "This sign-up was canceled", page: LOADERROR },
  },
  {
    situation: "fields for a setup that succeeded do not load",
    setup: "succeeded",
    says: [{ event: "loaderror" }, { call: "retrieveSetupIntent", status: "succeeded" }],
    ...{ shows: "Subscription Successful!", page: LOADERROR },
  },
];
