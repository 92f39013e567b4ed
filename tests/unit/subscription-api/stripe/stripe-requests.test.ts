import { describe, expect, test } from "vitest";
import { PaymentsError, stripeClient, type Waiting } from "../../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../../functions/subscription-api/stripe/payments";
import { databaseInMemory } from "../../../support/api-in-process/database";
import { signUpsInProcess, stripeThatAnswers } from "../../../support/api-in-process/sign-ups";
import { answer, refusal } from "../../../support/api-in-process/stripe-model";

const STRIPE_CONFIG = { secretKey: "sk_test_1", webhookSecrets: [] };

/* What Stripe is sent, parameter by parameter: https://docs.stripe.com/api */

const signUp = async (change: object = {}) => ({
  ...(await databaseInMemory().signUp()),
  id: "the-sign-up",
  stripe_attempt: 0,
  ...change,
});
const metadata = { "metadata[sign_up_id]": "the-sign-up", "metadata[request_id]": "the-request" };

test("a customer is created with the form's fields, and the sign-up in its metadata [G6] [S15]", async () => {
  const { payments, sent } = stripeThatAnswers({ id: "cus_1" });
  expect(await payments.findOrCreateCustomer(await signUp())).toBe("cus_1");
  expect(sent).toEqual([
    {
      call: "POST customers",
      params: {
        email: "ada@example.com",
        name: "Ada Lovelace",
        business_name: "Engines & Sons",
        phone: "2125550123",
        "address[line1]": "12 St James's Square",
        "address[city]": "New York",
        "address[state]": "NY",
        "address[postal_code]": "10001",
        "address[country]": "US",
        ...metadata,
      },
      key: "customer-the-sign-up-0",
      redirect: "manual",
    },
  ]);
});

test("a customer with an unknown country has no country, and one from an earlier release has no request ID", async () => {
  const { payments, sent } = stripeThatAnswers({ id: "cus_1" });
  await payments.findOrCreateCustomer(await signUp({ country: "Atlantis", request_id: null }));
  const names = Object.keys(sent[0]?.params ?? {});
  expect(names.filter((name) => /country|request/.test(name))).toEqual([]);
});

describe("a setup intent", () => {
  const made = { id: "seti_1", client_secret: "seti_1_secret_1", status: "requires_payment_method" };

  test.each<[number, string | null, string, object]>([
    [0, "a-package", "setup-intent-the-sign-up-0", { "metadata[package_id]": "a-package" }],
    [2, null, "setup-intent-2-the-sign-up-0", {}],
  ])(
    "after %i used cards is for one card, charged later, with a free trial [G6] [H3]",
    async (used_cards, package_id, key, more) => {
      const { payments, sent } = stripeThatAnswers(made);
      await payments.findOrCreateSetupIntent(await signUp({ used_cards, package_id }), "cus_1");
      expect(sent).toEqual([
        {
          call: "POST setup_intents",
          params: {
            customer: "cus_1",
            usage: "off_session",
            "allowed_payment_method_types[0]": "card",
            ...metadata,
            "metadata[is_free_trial]": "true",
            "metadata[used_cards]": String(used_cards),
            ...more,
          },
          key,
          redirect: "manual",
        },
      ]);
    },
  );

  test.each<[string, object, string]>([
    ["for this sign-up and card is reused", { sign_up_id: "the-sign-up", used_cards: "1" }, "found"],
    ["for another card is not reused", { sign_up_id: "the-sign-up", used_cards: "0" }, "seti_1"],
    ["for another card by an earlier release is not reused", { sign_up_id: "the-sign-up" }, "seti_1"],
    ["for another sign-up is not reused", { sign_up_id: "another", used_cards: "1" }, "seti_1"],
  ])("created earlier: %s [G6]", async (_, given, id) => {
    const { payments } = stripeThatAnswers({ ...made, data: [{ ...made, id: "found", metadata: given }] });
    const found = await payments.findOrCreateSetupIntent(await signUp({ used_cards: 1, stripe_attempt: 1 }), "cus_1");
    expect(found.id).toBe(id);
  });

  test("created earlier with a card is requested with its card [H3]", async () => {
    const found = { ...made, status: "succeeded", metadata: { sign_up_id: "the-sign-up" }, payment_method: "pm_1" };
    const whole = { ...found, customer: "cus_1", payment_method: { id: "pm_1", card: { fingerprint: "a card" } } };
    const { payments, sent } = stripeThatAnswers({ ...whole, data: [found] });
    expect(await payments.findOrCreateSetupIntent(await signUp({ stripe_attempt: 1 }), "cus_1")).toEqual({
      id: "seti_1",
      clientSecret: "seti_1_secret_1",
      state: "succeeded",
      customerId: "cus_1",
      signUpId: "the-sign-up",
      usedCards: 0,
      paymentMethodId: "pm_1",
      fingerprint: "a card",
    });
    expect(sent.map(({ call, params }) => [call, params])).toEqual([
      ["GET setup_intents", { customer: "cus_1", limit: "100" }],
      ["GET setup_intents/seti_1", { "expand[0]": "payment_method" }],
    ]);
  });

  test("no longer needed is canceled as abandoned", async () => {
    const { payments, sent } = stripeThatAnswers({ ...made, status: "canceled" });
    await payments.cancelSetupIntent("seti_1");
    expect(sent).toMatchObject([
      { call: "POST setup_intents/seti_1/cancel", params: { cancellation_reason: "abandoned" } },
    ]);
  });
});

describe("a subscription", () => {
  const made = { id: "sub_1", status: "trialing", trial_start: 1_800_000_000, trial_end: 1_800_432_000 };
  const choice = { customerId: "cus_1", priceId: "price_1" };

  test("has the package's price and five trial days, and is canceled at their end without a card [S15] [G6]", async () => {
    const { payments, sent } = stripeThatAnswers({ ...made, data: [] });
    expect(await payments.findOrCreateSubscription(await signUp(), choice)).toEqual({
      stripeSubscriptionId: "sub_1",
      status: "trialing",
      trialStart: new Date(1_800_000_000_000),
      trialEnd: new Date(1_800_432_000_000),
    });
    expect(sent).toEqual([
      {
        call: "GET subscriptions",
        params: { customer: "cus_1", status: "all", limit: "100" },
        key: null,
        redirect: "manual",
      },
      {
        call: "POST subscriptions",
        params: {
          customer: "cus_1",
          "items[0][price]": "price_1",
          ...metadata,
          off_session: "true",
          trial_period_days: "5",
          "trial_settings[end_behavior][missing_payment_method]": "cancel",
        },
        key: "subscription-the-sign-up-0",
        redirect: "manual",
      },
    ]);
  });

  test("is taxed by Stripe Tax if configured, and untaxed if Stripe does not know the address [T3]", async () => {
    const { services, sent, instead, logged } = signUpsInProcess({ settings: { AUTOMATIC_TAX: "true" } });
    instead.set("GET subscriptions", answer(200, { data: [], has_more: false }));
    const answers = [refusal(400, "customer_tax_location_invalid"), answer(200, made)];
    instead.set("POST subscriptions", () => answers.shift());
    await services.payments.findOrCreateSubscription(await signUp(), choice);
    const tried = sent.filter(({ call }) => call === "POST subscriptions");
    expect(tried.map(({ params, key }) => [params["automatic_tax[enabled]"], key])).toEqual([
      ["true", "subscription-taxed-the-sign-up-0"],
      [undefined, "subscription-the-sign-up-0"],
    ]);
    expect(logged).toContainEqual(expect.objectContaining({ on: "error", event: "tax_location_invalid" }));
  });

  test("created earlier is reused whatever its status, but never another sign-up's [G6]", async () => {
    const mine = { ...made, id: "mine", status: "canceled", metadata: { sign_up_id: "the-sign-up" } };
    const { payments } = stripeThatAnswers({ data: [{ ...made, metadata: { sign_up_id: "another" } }, mine] });
    expect(await payments.findOrCreateSubscription(await signUp(), choice)).toMatchObject({
      stripeSubscriptionId: "mine",
      status: "canceled",
    });
  });
});

test("the default card is set", async () => {
  const { payments, sent } = stripeThatAnswers({ id: "cus_1" });
  await payments.setDefaultCard("cus_1", "pm_1");
  expect(sent).toMatchObject([
    {
      call: "POST customers/cus_1",
      params: { "invoice_settings[default_payment_method]": "pm_1" },
    },
  ]);
});

describe("the customers with an email address", () => {
  const page = (ids: string[], has_more: boolean, metadata = { sign_up_id: "another" }) =>
    answer(200, { data: ids.map((id) => ({ id, metadata })), has_more });
  const asked = (sent: ReturnType<typeof signUpsInProcess>["sent"]) => sent.map(({ call, params }) => [call, params]);
  const email = "ada@example.com";

  test("are read from all pages of the list", async () => {
    const { services, instead, sent } = signUpsInProcess();
    const pages = [page(["cus_1", "cus_2"], true), page(["cus_3"], false, { sign_up_id: "the-sign-up" })];
    instead.set("GET customers", () => pages.shift());
    expect(await services.payments.findCustomer(await signUp())).toBe("cus_3");
    expect(asked(sent)).toEqual([
      ["GET customers", { email, limit: "100" }],
      ["GET customers", { email, limit: "100", starting_after: "cus_2" }],
    ]);
  });

  test("are also found by a search that ignores case, without customers of other services", async () => {
    const { services, instead, sent } = signUpsInProcess();
    instead.set("GET customers/search", page(["cus_1", "cus_2"], false));
    instead.set(
      "GET customers",
      answer(200, { data: [{ id: "cus_other" }, { id: "cus_1", metadata: { sign_up_id: "x" } }] }),
    );
    expect(await services.payments.findCustomersOf(email)).toEqual(["cus_1", "cus_2"]);
    expect(asked(sent)).toEqual([
      ["GET customers", { email, limit: "100" }],
      ["GET customers/search", { query: `email:"${email}"`, limit: "100" }],
    ]);
    instead.set("GET customers/search", page([], false));
    await services.payments.findCustomersOf('"a\\b"@example.com');
    expect(sent.at(-1)?.params.query).toBe('email:"\\"a\\\\b\\"@example.com"');
  });
});

test.each([
  ["http://localhost:8789", "http://localhost:8789"],
  ["http://localhost", "http://localhost"],
  ["https://stripe.example", "https://stripe.example"],
  ["https://stripe.example:8443", "https://stripe.example:8443"],
])("Stripe is called at the configured URL %s", async (apiUrl, origin) => {
  const asked: string[] = [];
  const stripe = stripeClient({ ...STRIPE_CONFIG, apiUrl: new URL(apiUrl) }, "nobody", async (url) => {
    asked.push(new URL(String(url)).origin);
    return Response.json({ id: "cus_1", deleted: true });
  });
  await stripePayments(stripe).deleteCustomer("cus_1");
  expect(asked).toEqual([origin]);
});

test("a subscription and a customer are ended by their ids", async () => {
  const { payments, sent } = stripeThatAnswers({ id: "sub_1", status: "canceled", deleted: true });
  await payments.cancelSubscription("sub_1");
  await payments.deleteCustomer("cus_1");
  expect(sent.map(({ call }) => call)).toEqual(["DELETE subscriptions/sub_1", "DELETE customers/cus_1"]);
});

describe("a card", () => {
  test.each<[string, object, string[]]>([
    ["attached", { id: "pm_1", customer: "cus_1" }, ["GET", "POST"]],
    ["already detached", { id: "pm_1", customer: null }, ["GET"]],
  ])("that is %s is detached if necessary", async (_, answer, methods) => {
    const { payments, sent } = stripeThatAnswers(answer);
    await payments.detachCard("pm_1");
    expect(sent.map(({ call }) => call.split(" ")[0])).toEqual(methods);
  });
});

test.each<[Waiting, number]>([
  ["visitor", 4_000],
  ["nobody", 20_000],
])("while a %s waits, a call is tried twice, for %i ms each [H2]", async (waiting, timeout) => {
  let tried = 0;
  const stripe = stripeClient(STRIPE_CONFIG, waiting, async () => {
    tried += 1;
    throw new TypeError("fetch failed");
  });
  Object.assign(stripe, { getInitialNetworkRetryDelay: () => 0.01, getMaxNetworkRetryDelay: () => 0.01 });
  const failed = stripePayments(stripe).findSetupIntent("seti_1");
  await expect(failed).rejects.toBeInstanceOf(PaymentsError);
  await expect(failed).rejects.toMatchObject({ reason: "unavailable" });
  expect([tried, stripe.getApiField("timeout")]).toEqual([2, timeout]);
});

describe("objects of an earlier attempt are looked for", () => {
  const HOUR = 60 * 60_000;
  const MINUTE = 60_000;

  test.each([
    ["not while Stripe knows the key", 23 * HOUR - MINUTE, 0, false],
    ["an hour before Stripe forgets the key", 23 * HOUR + MINUTE, 0, true],
    ["after a failure that Stripe repeats for the key", 0, 1, true],
  ])("%s [G6]", async (_, age, stripe_attempt, looks) => {
    const created_at = new Date(Date.now() - age).toISOString();
    const signUp = { ...(await databaseInMemory().signUp()), created_at, stripe_attempt };
    const object = { id: "made", client_secret: "made_secret_1", status: "requires_payment_method" };
    const { payments, sent } = stripeThatAnswers({ ...object, data: [] });
    await payments.findOrCreateCustomer(signUp);
    await payments.findOrCreateSetupIntent(signUp, "cus_1");
    const looked = (path: string) => (looks ? [`GET ${path}`, `POST ${path}`] : [`POST ${path}`]);
    expect(sent.map(({ call }) => call)).toEqual([...looked("customers"), ...looked("setup_intents")]);
  });
});
