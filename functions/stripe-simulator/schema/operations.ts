import type Stripe from "stripe";

/** What each operation of stripe-schema.json takes. */
export type Parameters = {
  "POST /v1/customers": Stripe.CustomerCreateParams;
  "DELETE /v1/customers/:id": Stripe.CustomerDeleteParams;
  "GET /v1/customers": Stripe.CustomerListParams;
  "GET /v1/customers/:id": Stripe.CustomerRetrieveParams;
  "POST /v1/customers/:id": Stripe.CustomerUpdateParams;
  "GET /v1/events": Stripe.EventListParams;
  "GET /v1/events/:id": Stripe.EventRetrieveParams;
  "GET /v1/invoices": Stripe.InvoiceListParams;
  "POST /v1/invoices/:id/pay": Stripe.InvoicePayParams;
  "GET /v1/invoices/:id": Stripe.InvoiceRetrieveParams;
  "POST /v1/payment_methods/:id/attach": Stripe.PaymentMethodAttachParams;
  "POST /v1/payment_methods": Stripe.PaymentMethodCreateParams;
  "POST /v1/payment_methods/:id/detach": Stripe.PaymentMethodDetachParams;
  "GET /v1/payment_methods": Stripe.PaymentMethodListParams;
  "GET /v1/payment_methods/:id": Stripe.PaymentMethodRetrieveParams;
  "POST /v1/prices": Stripe.PriceCreateParams;
  "GET /v1/prices": Stripe.PriceListParams;
  "GET /v1/prices/:id": Stripe.PriceRetrieveParams;
  "POST /v1/products": Stripe.ProductCreateParams;
  "GET /v1/products": Stripe.ProductListParams;
  "GET /v1/products/:id": Stripe.ProductRetrieveParams;
  "POST /v1/products/:id": Stripe.ProductUpdateParams;
  "POST /v1/setup_intents/:id/cancel": Stripe.SetupIntentCancelParams;
  "POST /v1/setup_intents/:id/confirm": Stripe.SetupIntentConfirmParams;
  "POST /v1/setup_intents": Stripe.SetupIntentCreateParams;
  "GET /v1/setup_intents": Stripe.SetupIntentListParams;
  "GET /v1/setup_intents/:id": Stripe.SetupIntentRetrieveParams;
  "DELETE /v1/subscriptions/:id": Stripe.SubscriptionCancelParams;
  "POST /v1/subscriptions": Stripe.SubscriptionCreateParams;
  "GET /v1/subscriptions": Stripe.SubscriptionListParams;
  "POST /v1/subscriptions/:id/resume": Stripe.SubscriptionResumeParams;
  "GET /v1/subscriptions/:id": Stripe.SubscriptionRetrieveParams;
  "POST /v1/subscriptions/:id": Stripe.SubscriptionUpdateParams;
  "POST /v1/test_helpers/test_clocks/:id/advance": Stripe.TestHelpers.TestClockAdvanceParams;
  "POST /v1/test_helpers/test_clocks": Stripe.TestHelpers.TestClockCreateParams;
  "GET /v1/test_helpers/test_clocks": Stripe.TestHelpers.TestClockListParams;
  "GET /v1/test_helpers/test_clocks/:id": Stripe.TestHelpers.TestClockRetrieveParams;
  "GET /v1/webhook_endpoints": Stripe.WebhookEndpointListParams;
  "GET /v1/webhook_endpoints/:id": Stripe.WebhookEndpointRetrieveParams;
};

export type Operation = keyof Parameters;
