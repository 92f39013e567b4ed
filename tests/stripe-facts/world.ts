import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import Stripe from "stripe";
import * as z from "zod";
import { recordedCreations } from "./creations";

export type Account = {
  /** Where Stripe's API is. */
  url: string;
  secretKey: string;
  publishableKey: string;
  /** How long an event may take to be listed, and a customer to be found: nothing is immediate at Stripe. */
  patienceMs: { events: number; search: number };
  /** How many requests Stripe may get in a second. */
  perSecond: number;
};

/** A time of its own for up to three customers: a test clock. */
export type Clock = { id: string; now(): number; advance(to: number): Promise<void> };

export type World = Omit<ReturnType<typeof connect>, "removeAll">;

const MINUTE = 60;
/** Between two looks at something that Stripe does later. */
const LOOK_AGAIN_MS = 1_000;

const setupIntent = z.object({ status: z.string().optional() });

/** A test mode of Stripe, or what stands for it at another address. */
export function connect({ url, secretKey, publishableKey, patienceMs, perSecond }: Account) {
  const { protocol, hostname: host, port } = new URL(url);
  const isPlain = protocol === "http:";
  const creations = recordedCreations(perSecond);
  const stripe = new Stripe(secretKey, {
    httpClient: creations.httpClient,
    ...{ protocol: isPlain ? "http" : "https", host, port: port || (isPlain ? 80 : 443) },
    ...{ maxNetworkRetries: 2, telemetry: false, timeout: 20_000 },
  });
  const run = randomUUID().slice(0, 8);
  const start = Math.floor(Date.now() / 1000) - MINUTE;
  const prices = new Map<number, Promise<Stripe.Price>>();
  let names = 0;

  /** Asks again until the answer is as wanted or the time is over. */
  async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean, withinMs: number): Promise<T> {
    const end = performance.now() + withinMs;
    let answer = await ask();
    while (!isWanted(answer) && performance.now() < end) {
      await pause(LOOK_AGAIN_MS);
      answer = await ask();
    }
    return answer;
  }

  /** A name that nothing else in the account has. */
  const unique = (name: string) => `facts-${run}-${name}-${++names}`;

  /** Creates a product with a monthly price in US cents. */
  async function newPrice(cents: number, more: { lookup_key?: string; product?: string; currency?: string } = {}) {
    const product = more.product ?? (await stripe.products.create({ name: unique("product") })).id;
    const fixed = { currency: "usd", recurring: { interval: "month" as const }, transfer_lookup_key: true };
    return stripe.prices.create({ ...fixed, lookup_key: unique("price"), ...more, product, unit_amount: cents });
  }

  return {
    stripe,
    publishableKey,
    unique,
    newPrice,
    patienceMs,
    eventually,

    /** A monthly price that facts share. */
    price(cents: number): Promise<Stripe.Price> {
      const known = prices.get(cents) ?? newPrice(cents);
      prices.set(cents, known);
      return known;
    },

    /** @param from seconds since 1970; now by default */
    async clock(from = Math.floor(Date.now() / 1000)): Promise<Clock> {
      const { testClocks } = stripe.testHelpers;
      const { id } = await testClocks.create({ frozen_time: from, name: unique("clock") });
      let now = from;
      return {
        id,
        now: () => now,
        async advance(to) {
          await testClocks.advance(id, { frozen_time: to });
          const isReady = ({ status }: { status: string }) => status !== "advancing";
          const { status } = await eventually(() => testClocks.retrieve(id), isReady, 120_000);
          if (status !== "ready") throw new Error(`The test clock is ${status}`);
          now = to;
        },
      };
    },

    /** Retrieves a setup intent as the site does. Returns the HTTP status and the intent's status. */
    async asSite(clientSecret: string, key = publishableKey) {
      const id = clientSecret.split("_secret_")[0] ?? "";
      const query = new URLSearchParams({ client_secret: clientSecret });
      const answer = await fetch(`${url}/v1/setup_intents/${id}?${query}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return { http: answer.status, ...setupIntent.parse(await answer.json()) };
    },

    /** The events about an object or a customer, oldest first. @param count how many will come at least */
    async events(
      about: string,
      types: NonNullable<Stripe.EventListParams["types"]>,
      count = 1,
    ): Promise<Stripe.Event[]> {
      const isAbout = ({ data: { object } }: Stripe.Event) =>
        [Reflect.get(object, "id"), Reflect.get(object, "customer")].includes(about);
      const list = async () => {
        const filter = { types, created: { gte: start }, limit: 100 };
        return (await stripe.events.list(filter).autoPagingToArray({ limit: 2_000 })).filter(isAbout);
      };
      return (await eventually(list, ({ length }) => length >= count, patienceMs.events)).reverse();
    },

    /** Removes what was made here. Returns a sentence for each object that is left. */
    removeAll: () => creations.remove(stripe),
  };
}
