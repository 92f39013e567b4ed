import type { Fact } from "../fact";
import { confirm, newCustomer, newIntent, refusal, subscribe } from "./situations";

const LIST = "https://docs.stripe.com/api/customers/list";

export const customers: Fact[] = [
  {
    situation: "a customer keeps what the sign-up gave",
    async calls({ stripe, unique }) {
      const address = {
        line1: "1 Example Street",
        city: "Springfield",
        state: "IL",
        postal_code: "62701",
        country: "US",
      };
      const given = { name: "Ada Lovelace", business_name: "Analytical Engines", phone: "2125550123", address };
      const metadata = { sign_up_id: unique("sign-up"), request_id: "req" };
      const { id } = await stripe.customers.create({ ...given, email: `${unique("ada")}@example.com`, metadata });
      const found = await stripe.customers.retrieve(id);
      if (found.deleted) return { isMarked: true };
      const { name, business_name, phone } = found;
      const { line1, postal_code } = found.address ?? {};
      return {
        name,
        business_name,
        phone,
        line1,
        postal_code,
        isOurs: found.metadata.sign_up_id === metadata.sign_up_id,
      };
    },
    comes: {
      ...{ name: "Ada Lovelace", business_name: "Analytical Engines", phone: "2125550123" },
      ...{ line1: "1 Example Street", postal_code: "62701", isOurs: true },
    },
    page: "https://docs.stripe.com/api/customers/create",
  },
  {
    situation: "an email address that cannot be one is refused by name",
    async calls({ stripe }) {
      const { status, code, param } = await refusal(stripe.customers.create({ email: "not an email" }));
      return { status, code, param };
    },
    comes: { status: 400, code: "email_invalid", param: "email" },
    page: "https://docs.stripe.com/error-codes#email-invalid",
  },
  {
    situation: "a list by email finds new customers at once, and only with the same capital letters",
    async calls({ stripe, unique }) {
      const email = `${unique("case")}@example.com`;
      await stripe.customers.create({ email });
      const count = async (of: string) => (await stripe.customers.list({ email: of, limit: 100 })).data.length;
      return { same: await count(email), capital: await count(email.replace("facts", "Facts")) };
    },
    comes: { same: 1, capital: 0 },
    page: LIST,
  },
  {
    situation: "a search by email ignores capital letters",
    async calls({ stripe, unique, eventually, patienceMs }) {
      const email = `${unique("search")}@example.com`;
      await stripe.customers.create({ email: email.replace("facts", "Facts") });
      const search = async () => (await stripe.customers.search({ query: `email:"${email}"`, limit: 100 })).data;
      return { found: (await eventually(search, ({ length }) => length > 0, patienceMs.search)).length };
    },
    comes: { found: 1 },
    page: "https://docs.stripe.com/search",
  },
  {
    situation: "a list goes on after the last object of the page before, without gaps or repetitions",
    async calls({ stripe, unique }) {
      const email = `${unique("pages")}@example.com`;
      for (let made = 0; made < 4; made += 1) await stripe.customers.create({ email, name: String(made) });
      const first = await stripe.customers.list({ email, limit: 2 });
      const second = await stripe.customers.list({ email, limit: 2, starting_after: first.data.at(-1)?.id ?? "" });
      const names = [...first.data, ...second.data].map(({ name }) => name ?? "");
      return { pages: [first.data.length, second.data.length], more: [first.has_more, second.has_more], names };
    },
    comes: { pages: [2, 2], more: [true, false], names: ["3", "2", "1", "0"] },
    page: "https://docs.stripe.com/api/pagination",
  },
  {
    situation: "a card of nobody or of another customer cannot be a customer's default",
    async calls(world) {
      const [{ id: customer }, { id: another }] = [await newCustomer(world), await newCustomer(world)];
      const { customers, paymentMethods } = world.stripe;
      const attach = async (owner: string) => (await paymentMethods.attach("pm_card_visa", { customer: owner })).id;
      const [nobodys, anothers] = [await attach(customer), await attach(another)];
      await paymentMethods.detach(nobodys);
      const codeOf = async (id: string) =>
        (await refusal(customers.update(customer, { invoice_settings: { default_payment_method: id } }))).code;
      return { nobodys: await codeOf(nobodys), anothers: await codeOf(anothers) };
    },
    comes: { nobodys: "resource_missing", anothers: "resource_missing" },
    page: "https://docs.stripe.com/api/customers/update",
  },
  {
    situation: "a detached card is nobody's and no default, and cannot be detached again",
    async calls(world) {
      const { stripe } = world;
      const { id: intent, customer } = await newIntent(world);
      const card = String((await confirm(world, intent, "pm_card_visa")).payment_method);
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
      await stripe.paymentMethods.detach(card);
      const found = await stripe.customers.retrieve(customer);
      const again = await refusal(stripe.paymentMethods.detach(card));
      return {
        owner: (await stripe.paymentMethods.retrieve(card)).customer === null,
        hasDefault: !found.deleted && found.invoice_settings.default_payment_method !== null,
        again: again.status,
      };
    },
    comes: { owner: true, hasDefault: false, again: 400 },
    page: "https://docs.stripe.com/api/payment_methods/detach",
  },
  {
    situation: "the default card is shown with its customer",
    async calls(world) {
      const { stripe } = world;
      const { id: customer } = await newCustomer(world);
      const { id } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
      const found = await stripe.customers.retrieve(customer, { expand: ["invoice_settings.default_payment_method"] });
      const card = found.deleted ? null : found.invoice_settings.default_payment_method;
      return { brand: typeof card === "object" ? card?.card?.brand : "not expanded" };
    },
    comes: { brand: "visa" },
    page: "https://docs.stripe.com/api/expanding_objects",
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
    situation: "an unknown customer is missing",
    async calls({ stripe }) {
      const { status, code } = await refusal(stripe.customers.retrieve("cus_00000000000000"));
      return { status, code };
    },
    comes: { status: 404, code: "resource_missing" },
    page: "https://docs.stripe.com/error-codes#resource-missing",
  },
  ...(
    [
      { what: "a value of 501 characters", metadata: { sign_up_id: "a".repeat(501) }, isTaken: false },
      { what: "a value of 500 characters", metadata: { sign_up_id: "a".repeat(500) }, isTaken: true },
      { what: "a name of 41 characters", metadata: { ["n".repeat(41)]: "a" }, isTaken: false },
      { what: "a name of 40 characters", metadata: { ["n".repeat(40)]: "a" }, isTaken: true },
      { what: "51 names", metadata: numbered(51), isTaken: false },
      { what: "50 names", metadata: numbered(50), isTaken: true },
    ] as const
  ).map(
    ({ what, metadata, isTaken }): Fact => ({
      situation: `metadata with ${what} is ${isTaken ? "kept" : "refused"}`,
      async calls({ stripe }) {
        const { status, isRefused } = await refusal(stripe.customers.create({ metadata }));
        return { isTaken: isRefused === false, status };
      },
      comes: { isTaken, status: isTaken ? undefined : 400 },
      page: "https://docs.stripe.com/metadata",
    }),
  ),
];

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name_${index}`, "a"]));
}
