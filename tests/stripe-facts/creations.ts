import { setTimeout as pause } from "node:timers/promises";
import Stripe from "stripe";
import * as z from "zod";

const created = z.object({ id: z.string(), object: z.string() });

type Remove = (stripe: Stripe, id: string) => Promise<unknown>;

/** In this order: a clock takes its customers with it. Stripe keeps prices, products and portal configurations, but inactive. */
const REMOVALS: Record<string, Remove> = {
  "test_helpers.test_clock": (stripe, id) => stripe.testHelpers.testClocks.del(id),
  customer: (stripe, id) => stripe.customers.del(id),
  webhook_endpoint: (stripe, id) => stripe.webhookEndpoints.del(id),
  "billing_portal.configuration": (stripe, id) => stripe.billingPortal.configurations.update(id, { active: false }),
  price: (stripe, id) => stripe.prices.update(id, { active: false }),
  product: (stripe, id) => stripe.products.update(id, { active: false }),
};

const AT_ONCE = 8;

/** Remembers each object that a client creates and that does not go with another one. @param perSecond the most requests */
export function recordedCreations(perSecond: number) {
  const made = new Map<string, string>();
  const httpClient = Stripe.createNodeHttpClient();
  const send = httpClient.makeRequest.bind(httpClient);
  let next = 0;
  httpClient.makeRequest = async (...request) => {
    const start = Math.max(performance.now(), next);
    next = start + 1_000 / perSecond;
    await pause(start - performance.now());
    const response = await send(...request);
    const parse = response.toJSON.bind(response);
    const [, , , method] = request;
    if (method === "POST") {
      response.toJSON = async () => {
        const body: unknown = await parse();
        const { data } = created.safeParse(body);
        if (data && data.object in REMOVALS) made.set(data.id, data.object);
        return body;
      };
    }
    return response;
  };
  return {
    /** The HTTP client for a Stripe client. */
    httpClient,

    /** Returns a sentence for each object that could not be removed. */
    async remove(stripe: Stripe): Promise<string[]> {
      const left: string[] = [];
      for (const [kind, remove] of Object.entries(REMOVALS)) {
        const ids = [...made].flatMap(([id, of]) => (of === kind ? [id] : []));
        await atOnce(AT_ONCE, ids, async (id) => {
          try {
            await remove(stripe, id);
          } catch (error) {
            const isGone = Reflect.get(Object(error), "code") === "resource_missing";
            if (!isGone) left.push(`${id} is left: ${error instanceof Error ? error.message : String(error)}`);
          }
        });
      }
      return left;
    },
  };
}

/** Does the same with each item, with only some under way. */
export async function atOnce<T>(most: number, items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
