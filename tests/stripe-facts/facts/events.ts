import type { Fact, UnseenFact } from "../fact";
import { byName, confirm, newCustomer, newIntent, newTrial, refusal } from "./situations";

const LIST = "https://docs.stripe.com/api/events/list";
const CANNOT_BE_REACHED = "Stripe cannot reach this machine";

export const events: Fact[] = [
  {
    situation: "a new customer is an event with its metadata and its time",
    async calls(world) {
      const { id, created, metadata } = await newCustomer(world);
      const [event] = await world.events(id, ["customer.created"]);
      const object = Object(event?.data.object);
      const isNow = Math.abs((event?.created ?? 0) - created) <= 5;
      return { type: event?.type, isIts: object.metadata?.sign_up_id === metadata.sign_up_id, isNow };
    },
    comes: { type: "customer.created", isIts: true, isNow: true },
    page: "https://docs.stripe.com/api/events/types#event_types-customer.created",
  },
  {
    situation: "a deleted customer is an event with its metadata",
    async calls(world) {
      const { id, metadata } = await newCustomer(world);
      await world.stripe.customers.del(id);
      const [event] = await world.events(id, ["customer.deleted"]);
      return { isIts: Object(event?.data.object).metadata?.sign_up_id === metadata.sign_up_id };
    },
    comes: { isIts: true },
    page: "https://docs.stripe.com/api/events/types#event_types-customer.deleted",
  },
  {
    situation: "a card that is declined twice and one that works are an event each, with customer and metadata",
    async calls(world) {
      const { id, customer } = await newIntent(world, { sign_up_id: "a-sign-up" });
      for (const _ of [1, 2]) await refusal(confirm(world, id, "pm_card_visa_chargeDeclined"));
      await confirm(world, id, "pm_card_visa");
      const found = await world.events(id, ["setup_intent.succeeded", "setup_intent.setup_failed"], 3);
      const isIts = found.every(({ data }) => {
        const { customer: owner, metadata } = Object(data.object);
        return owner === customer && metadata.sign_up_id === "a-sign-up";
      });
      return { types: byName(found.map(({ type }) => type)), isIts };
    },
    comes: { types: [...Array(2).fill("setup_intent.setup_failed"), "setup_intent.succeeded"], isIts: true },
    page: "https://docs.stripe.com/api/events/types#event_types-setup_intent.succeeded",
  },
  {
    situation: "each change of a trial is an event about its subscription",
    async calls(world) {
      const trial = await newTrial(world);
      const kinds = ["created", "updated", "deleted"] as const;
      const types = kinds.map((kind) => `customer.subscription.${kind}` as const);
      await trial.charge();
      const { id } = trial;
      await world.stripe.subscriptions.cancel(id);
      // The last one may be listed late.
      await world.events(id, ["customer.subscription.deleted"]);
      const found = await world.events(id, types);
      const began = found.find(
        ({ type, data }) => type.endsWith("updated") && Reflect.get(Object(data.previous_attributes), "status"),
      );
      const was = Reflect.get(Object(began?.data.previous_attributes), "status");
      const { status, customer } = Object(began?.data.object);
      return {
        types: byName([...new Set(found.map(({ type }) => type))]),
        was,
        became: status,
        isOfCustomer: customer === trial.customer,
      };
    },
    comes: {
      types: ["customer.subscription.created", "customer.subscription.deleted", "customer.subscription.updated"],
      ...{ was: "trialing", became: "active", isOfCustomer: true },
    },
    page: "https://docs.stripe.com/billing/subscriptions/webhooks",
  },
  {
    situation: "an event shows the object as it was then",
    async calls(world) {
      const { id } = await newIntent(world);
      await world.stripe.setupIntents.cancel(id);
      const [event] = await world.events(id, ["setup_intent.created"]);
      return { status: Object(event?.data.object).status };
    },
    comes: { status: "requires_payment_method" },
    page: "https://docs.stripe.com/api/events/object#event_object-data-object",
  },
  {
    situation: "events are listed by type and time, the newest first, without gaps between pages",
    async calls(world) {
      const { id, created } = await newCustomer(world);
      const [event] = await world.events(id, ["customer.created"]);
      const at = event?.created ?? created;
      const listed = async (filter: object, type: "customer.created" | "customer.deleted" = "customer.created") => {
        const list = world.stripe.events.list({ types: [type], limit: 100, ...filter });
        return (await list.autoPagingToArray({ limit: 2_000 })).some((one) => one.id === event?.id);
      };
      await newCustomer(world);
      const { data } = await world.stripe.events.list({ types: ["customer.created"], limit: 2 });
      const isNewestFirst = (data[0]?.created ?? 0) >= (data[1]?.created ?? 0);
      const after = await world.stripe.events.list({
        types: ["customer.created"],
        limit: 1,
        starting_after: data[0]?.id ?? "",
      });
      return {
        from: await listed({ created: { gte: at } }),
        later: await listed({ created: { gte: at + 1 } }),
        otherType: await listed({ created: { gte: at } }, "customer.deleted"),
        isNewestFirst,
        goesOn: data.length === 2 && after.data[0]?.id === data[1]?.id,
      };
    },
    comes: { from: true, later: false, otherType: false, isNewestFirst: true, goesOn: true },
    page: LIST,
  },
];

export const eventsUnseen: UnseenFact[] = [
  {
    situation: "an event that is refused is delivered again, the same and signed anew",
    notInTestMode: CANNOT_BE_REACHED,
    async calls(world) {
      const taken = await world.deliveries("setup_intent.setup_failed", 2, async () => {
        const { id } = await newIntent(world);
        await refusal(confirm(world, id, "pm_card_visa_chargeDeclined"));
      });
      const { signature } = world.stripe.webhooks;
      const secret = "whsec_local_development_only";
      const valid = await Promise.all(
        taken.map((one) => signature?.verifyHeaderAsync(one.body, one.signature, secret, 300).catch(() => false)),
      );
      return {
        isRepeated: taken.length > 2,
        bodies: new Set(taken.map(({ body }) => body)).size,
        valid: valid.every(Boolean),
      };
    },
    comes: { isRepeated: true, bodies: 1, valid: true },
    page: "https://docs.stripe.com/webhooks#retries",
  },
];
