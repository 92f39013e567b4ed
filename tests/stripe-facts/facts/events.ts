import type { Fact } from "../fact";
import type { SimulatorWorld } from "../simulator-world";
import { confirm, newCustomer, newIntent, newTrial, refusal } from "./situations";

export const events: Fact[] = [
  {
    situation:
      "a new and a deleted customer is an event with its metadata and its time; events are listed by type and time, the newest first",
    async calls(world) {
      const { events, customers } = world.stripe;
      const { id, created, metadata } = await newCustomer(world);
      await customers.del(id);
      const both = await world.events(id, ["customer.created", "customer.deleted"], 2);
      const event = both.find(({ type }) => type === "customer.created");
      const at = event?.created ?? created;
      const listed = async (filter: object, type: "customer.created" | "customer.deleted" = "customer.created") => {
        const list = events.list({ types: [type], limit: 100, ...filter });
        return (await list.autoPagingToArray({ limit: 2_000 })).some((one) => one.id === event?.id);
      };
      await newCustomer(world);
      const { data } = await events.list({ types: ["customer.created"], limit: 2 });
      const [newest, next] = data;
      const after = await events.list({ types: ["customer.created"], limit: 1, starting_after: newest?.id ?? "" });
      return {
        types: both.map(({ type }) => type).sort(),
        isIts: both.every(({ data }) => Object(data.object).metadata?.sign_up_id === metadata.sign_up_id),
        isNow: both.every((one) => Math.abs(one.created - created) <= 10),
        from: await listed({ created: { gte: at } }),
        later: await listed({ created: { gte: at + 1 } }),
        otherType: await listed({ created: { gte: at } }, "customer.deleted"),
        isNewestFirst: (newest?.created ?? 0) >= (next?.created ?? 0),
        goesOn: next !== undefined && after.data[0]?.id === next.id,
      };
    },
    comes: {
      ...{ types: ["customer.created", "customer.deleted"], isIts: true, isNow: true },
      ...{ from: true, later: false, otherType: false, isNewestFirst: true, goesOn: true },
    },
    page: "https://docs.stripe.com/api/events/list",
  },
  {
    situation:
      "each card that is declined or works is an event with customer and metadata, and the setup as it was then",
    async calls(world) {
      const { id, customer } = await newIntent(world, { sign_up_id: "a-sign-up" });
      for (const _ of [1, 2]) await refusal(confirm(world, id, "pm_card_visa_chargeDeclined"));
      await confirm(world, id, "pm_card_visa");
      const found = await world.events(id, ["setup_intent.succeeded", "setup_intent.setup_failed"], 3);
      const objects = found.map(({ data }) => Object(data.object));
      return {
        types: found.map(({ type }) => type).sort(),
        statuses: objects.map(({ status }) => status).sort(),
        isIts: objects.every((one) => one.customer === customer && one.metadata.sign_up_id === "a-sign-up"),
      };
    },
    comes: {
      types: ["setup_intent.setup_failed", "setup_intent.setup_failed", "setup_intent.succeeded"],
      statuses: ["requires_payment_method", "requires_payment_method", "succeeded"],
      isIts: true,
    },
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
      const isOfCustomer = found.every(({ data }) => Object(data.object).customer === trial.customer);
      return { types: [...new Set(found.map(({ type }) => type))].sort(), isOfCustomer };
    },
    comes: {
      types: ["customer.subscription.created", "customer.subscription.deleted", "customer.subscription.updated"],
      isOfCustomer: true,
    },
    page: "https://docs.stripe.com/billing/subscriptions/webhooks",
  },
];

export const simulatedEvents: Fact<SimulatorWorld>[] = [
  {
    situation: "an event that is refused is delivered again, the same and signed anew",
    async calls(world) {
      const taken = await world.deliveries("setup_intent.setup_failed", 2, async () => {
        const { id } = await newIntent(world);
        await refusal(confirm(world, id, "pm_card_visa_chargeDeclined"));
      });
      const secret = "whsec_local_development_only";
      // Throws for a wrong signature.
      for (const { body, signature } of taken) world.stripe.webhooks.constructEvent(body, signature, secret);
      return { isRepeated: taken.length > 2, bodies: new Set(taken.map(({ body }) => body)).size };
    },
    comes: { isRepeated: true, bodies: 1 },
    page: "https://docs.stripe.com/webhooks#retries",
  },
];
