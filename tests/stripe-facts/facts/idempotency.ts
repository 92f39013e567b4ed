import type { Fact, UnseenFact } from "../fact";
import { DAY, newCustomer, refusal, subscribe } from "./situations";

const PAGE = "https://docs.stripe.com/api/idempotent_requests";
const NOT_ON_DEMAND = "Stripe does not fail on demand";

export const idempotency: Fact[] = [
  {
    situation: "the same creation twice under one idempotency key creates one object",
    async calls({ stripe, unique }) {
      const [email, idempotencyKey] = [`${unique("twice")}@example.com`, unique("key")];
      const first = await stripe.customers.create({ email }, { idempotencyKey });
      const second = await stripe.customers.create({ email }, { idempotencyKey });
      return { isSame: first.id === second.id, customers: (await stripe.customers.list({ email })).data.length };
    },
    comes: { isSame: true, customers: 1 },
    page: PAGE,
  },
  {
    situation: "another body under a used idempotency key is refused",
    async calls({ stripe, unique }) {
      const idempotencyKey = unique("key");
      await stripe.customers.create({ name: "Ada" }, { idempotencyKey });
      return refusal(stripe.customers.create({ name: "Grace" }, { idempotencyKey }));
    },
    comes: { status: 400, type: "idempotency_error" },
    page: PAGE,
  },
  {
    situation:
      "two creations at once under one idempotency key create one object, and the other is refused or repeated",
    async calls({ stripe, unique }) {
      const email = `${unique("at-once")}@example.com`;
      const options = { idempotencyKey: unique("key"), maxNetworkRetries: 0 };
      const create = async () => (await refusal(stripe.customers.create({ email }, options))).code ?? "answered";
      const answers = await Promise.all([create(), create()]);
      const isKnown = answers.every((answer) => ["answered", "idempotency_key_in_use"].includes(answer));
      return { isKnown, customers: (await stripe.customers.list({ email })).data.length };
    },
    comes: { isKnown: true, customers: 1 },
    page: PAGE,
  },
  {
    situation: "a refused creation is refused again under its key once its cause is gone, but not under another key",
    async calls(world) {
      const [{ id: customer }, { id: price }] = [await newCustomer(world), await world.newPrice(10_000)];
      const [idempotencyKey, anotherKey] = [world.unique("key"), world.unique("key")];
      const { prices } = world.stripe;
      await prices.update(price, { active: false });
      const first = await refusal(subscribe(world, customer, price, { idempotencyKey }));
      await prices.update(price, { active: true });
      const again = await refusal(subscribe(world, customer, price, { idempotencyKey }));
      const { status: other } = await subscribe(world, customer, price, { idempotencyKey: anotherKey });
      return { archived: first.status, again: again.status, other };
    },
    comes: { archived: 400, again: 400, other: "trialing" },
    page: PAGE,
  },
  {
    situation: "an idempotency key is not used up by a request that is invalid",
    async calls(world) {
      const [{ id: customer }, { id: price }] = [await newCustomer(world), await world.price(10_000)];
      const options = { idempotencyKey: world.unique("key") };
      const fields = { customer, items: [{ price }], off_session: "perhaps" };
      const invalid = await refusal(world.stripe.rawRequest("POST", "/v1/subscriptions", fields, options));
      return { invalid: invalid.status, valid: (await subscribe(world, customer, price, options)).status };
    },
    comes: { invalid: 400, valid: "trialing" },
    page: PAGE,
  },
];

export const idempotencyUnseen: UnseenFact[] = [
  {
    situation: "an idempotency key is forgotten after 24 hours",
    notInTestMode: "it takes a day, and test clocks do not move it",
    async calls({ stripe, unique, moveAccountClock }) {
      const idempotencyKey = unique("key");
      const create = async () => (await stripe.customers.create({ name: "Ada" }, { idempotencyKey })).id;
      const first = await create();
      await moveAccountClock(DAY - 60);
      const before = await create();
      await moveAccountClock(60);
      return { isSameBefore: before === first, isSameAfter: (await create()) === first };
    },
    comes: { isSameBefore: true, isSameAfter: false },
    page: PAGE,
  },
  ...(
    [
      { kind: "500-before", situation: "a failure before the work is repeated under its key", comes: [500, 500, 0] },
      { kind: "500-after", situation: "a failure after the work is repeated under its key", comes: [500, 500, 1] },
      { kind: "409", situation: "a refusal because the key is in use is not repeated", comes: [409, 200, 1] },
      { kind: "429", situation: "a refusal because of too many requests is not repeated", comes: [429, 200, 1] },
    ] as const
  ).map(
    ({ kind, situation, comes: [first, again, customers] }): UnseenFact => ({
      situation,
      notInTestMode: NOT_ON_DEMAND,
      async calls({ stripe, unique, fault }) {
        const [email, idempotencyKey] = [`${unique("fault")}@example.com`, unique("key")];
        const create = async (additionalHeaders = {}) => {
          const options = { idempotencyKey, maxNetworkRetries: 0, additionalHeaders };
          return (await refusal(stripe.rawRequest("POST", "/v1/customers", { email }, options))).status ?? 200;
        };
        const answers = { first: await create(fault(kind)), again: await create() };
        return { ...answers, customers: (await stripe.customers.list({ email })).data.length };
      },
      comes: { first, again, customers },
      page: PAGE,
    }),
  ),
];
