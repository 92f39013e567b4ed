import type { Fact } from "../fact";
import type { SimulatorWorld } from "../simulator-world";
import { DAY, newCustomer, refusal, subscribe } from "./situations";

const PAGE = "https://docs.stripe.com/api/idempotent_requests";

export const idempotency: Fact[] = [
  {
    situation:
      "the same creation twice under one key creates one object, the saved answer is marked, another body refused",
    async calls({ stripe, unique }) {
      const [email, idempotencyKey] = [`${unique("twice")}@example.com`, unique("key")];
      const first = await stripe.customers.create({ email }, { idempotencyKey });
      const second = await stripe.customers.create({ email }, { idempotencyKey });
      const marks = [first, second].map(({ lastResponse }) => lastResponse.headers["idempotent-replayed"]);
      const other = await refusal(stripe.customers.create({ name: "Grace" }, { idempotencyKey }));
      const customers = (await stripe.customers.list({ email })).data.length;
      return { isSame: first.id === second.id, marks, customers, other };
    },
    comes: {
      ...{ isSame: true, marks: [undefined, "true"], customers: 1 },
      other: { status: 400, type: "idempotency_error" },
    },
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
      return { archived: first.status, again: again.status, isMarked: [first.isReplayed, again.isReplayed], other };
    },
    comes: { archived: 400, again: 400, isMarked: [undefined, true], other: "trialing" },
    page: PAGE,
  },
];

export const simulatedIdempotency: Fact<SimulatorWorld>[] = [
  {
    situation: "an idempotency key is forgotten after 24 hours",
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
      { kind: "502", situation: "a failure of the edge executes nothing and is not repeated", comes: [502, 200, 1] },
    ] as const
  ).map(
    ({ kind, situation, comes: [first, again, customers] }): Fact<SimulatorWorld> => ({
      situation,
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
