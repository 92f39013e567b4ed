import type { Fact } from "../fact";
import { confirm, newCustomer, newIntent, refusal, subscribe } from "./situations";

export const customers: Fact[] = [
  {
    situation: "a customer keeps what the sign-up gave, and an email address that cannot be one is refused by name",
    async calls({ stripe, unique }) {
      const address = { line1: "1 Example Street", city: "Springfield", postal_code: "62701", country: "US" };
      const given = { name: "Ada Lovelace", business_name: "Analytical Engines", phone: "2125550123" };
      const metadata = { sign_up_id: unique("sign-up"), request_id: "req" };
      const email = `${unique("ada")}@example.com`;
      const { id } = await stripe.customers.create({ ...given, address, email, metadata });
      const found = await stripe.customers.retrieve(id);
      if (found.deleted) return { isMarked: true };
      const { name, business_name, phone } = found;
      const { line1, postal_code } = found.address ?? {};
      const isOurs = found.metadata.sign_up_id === metadata.sign_up_id;
      const { code, param } = await refusal(stripe.customers.create({ email: "not an email" }));
      return { name, business_name, phone, line1, postal_code, isOurs, code, param };
    },
    comes: {
      ...{ name: "Ada Lovelace", business_name: "Analytical Engines", phone: "2125550123" },
      ...{ line1: "1 Example Street", postal_code: "62701", isOurs: true, code: "email_invalid", param: "email" },
    },
    page: "https://docs.stripe.com/api/customers/create",
  },
  {
    situation:
      "a list by email finds new customers at once, page by page, with the same capital letters; a search ignores these",
    async calls({ stripe, unique, eventually, patienceMs }) {
      const email = `${unique("case")}@example.com`;
      const capital = email.replace("facts", "Facts");
      for (const name of ["0", "1", "2", "3"]) await stripe.customers.create({ email: capital, name });
      const list = (of: string, starting_after?: string) =>
        stripe.customers.list({ email: of, limit: 2, starting_after });
      const first = await list(capital);
      const second = await list(capital, first.data.at(-1)?.id);
      const search = async () => (await stripe.customers.search({ query: `email:"${email}"`, limit: 100 })).data;
      return {
        names: [first, second].map(({ data }) => data.map(({ name }) => name).join()),
        more: [first.has_more, second.has_more],
        other: (await list(email)).data.length,
        found: (await eventually(search, ({ length }) => length === 4, patienceMs.search)).length,
      };
    },
    comes: { names: ["3,2", "1,0"], more: [true, false], other: 0, found: 4 },
    page: "https://docs.stripe.com/search",
  },
  {
    situation: "a detached card is in no list and nobody's; neither it nor another customer's card can be a default",
    async calls(world) {
      const { customers, paymentMethods } = world.stripe;
      const { id: intent, customer } = await newIntent(world);
      const card = String((await confirm(world, intent, "pm_card_visa")).payment_method);
      const another = await paymentMethods.attach("pm_card_visa", { customer: (await newCustomer(world)).id });
      const makeDefault = (id: string) =>
        customers.update(customer, { invoice_settings: { default_payment_method: id } });
      const listed = async () => (await paymentMethods.list({ customer })).data.map(({ id }) => id).join();
      await makeDefault(card);
      const wasListed = (await listed()) === card;
      await paymentMethods.detach(card);
      const found = await customers.retrieve(customer);
      return {
        ...{ wasListed, listed: await listed() },
        owner: String((await paymentMethods.retrieve(card)).customer),
        default: found.deleted ? "deleted" : String(found.invoice_settings.default_payment_method),
        again: (await refusal(paymentMethods.detach(card))).status,
        nobodys: (await refusal(makeDefault(card))).code,
        anothers: (await refusal(makeDefault(another.id))).code,
      };
    },
    comes: {
      ...{ wasListed: true, listed: "", owner: "null", default: "null", again: 400 },
      ...{ nobodys: "resource_missing", anothers: "resource_missing" },
    },
    page: "https://docs.stripe.com/api/payment_methods/detach",
  },
  {
    situation: "a deleted customer has a mark, is in no list, runs no subscription and cannot be deleted again",
    async calls(world) {
      const { stripe } = world;
      const { id, email } = await newCustomer(world);
      await stripe.paymentMethods.attach("pm_card_visa", { customer: id });
      const { id: subscription } = await subscribe(world, id, (await world.price(10_000)).id);
      await stripe.customers.del(id);
      return {
        isMarked: (await stripe.customers.retrieve(id)).deleted === true,
        listed: (await stripe.customers.list({ email: email ?? "" })).data.length,
        subscription: (await stripe.subscriptions.retrieve(subscription)).status,
        again: (await refusal(stripe.customers.del(id))).code,
      };
    },
    comes: { isMarked: true, listed: 0, subscription: "canceled", again: "resource_missing" },
    page: "https://docs.stripe.com/api/customers/delete",
  },
  {
    situation: "an unknown customer, price or setup intent is missing",
    async calls({ stripe }) {
      const found = [
        stripe.customers.retrieve("cus_00000000000000"),
        stripe.prices.retrieve("price_000000000000000000000000"),
        stripe.setupIntents.retrieve("seti_000000000000000000000000"),
      ];
      const refused = await Promise.all(found.map(refusal));
      return { statuses: refused.map(({ status }) => status), codes: refused.map(({ code }) => code) };
    },
    comes: { statuses: [404, 404, 404], codes: Array(3).fill("resource_missing") },
    page: "https://docs.stripe.com/error-codes#resource-missing",
  },
  {
    situation: "metadata has up to 50 names of 40 characters with values of 500 characters",
    async calls({ stripe }) {
      const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [nth, "a"]));
      const isTaken = async (metadata: Record<string, string>) =>
        (await refusal(stripe.customers.create({ metadata }))).isRefused === false;
      return {
        values: [await isTaken({ name: "a".repeat(500) }), await isTaken({ name: "a".repeat(501) })],
        names: [await isTaken({ ["n".repeat(40)]: "a" }), await isTaken({ ["n".repeat(41)]: "a" })],
        counts: [await isTaken(numbered(50)), await isTaken(numbered(51))],
      };
    },
    comes: { values: [true, false], names: [true, false], counts: [true, false] },
    page: "https://docs.stripe.com/metadata",
  },
];
