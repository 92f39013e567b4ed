import type { Page } from "@playwright/test";
import * as z from "zod";

/** Runs after Stripe.js, as a part of its script. Stripe.js gets its own objects back, because it knows no others. */
const RECORDER = `;{
  const calls = window.stripeCalls = [];
  const said = window.stripeSaid = [];
  const own = new WeakMap();
  const asSaid = ({ setupIntent, error } = {}) => error ? { type: error.type, code: error.code } : { status: setupIntent?.status };
  const isResult = (name) => ["confirmSetup", "retrieveSetupIntent"].includes(name);
  const recorded = (object) => {
    const proxy = new Proxy(object, { get: (target, name) =>
      typeof target[name] !== "function" ? target[name] : (...given) => {
        calls.push([name, ...given.map((one) => one?.elements ? { ...one, elements: undefined } : one)]);
        const result = target[name](...given.map((one) => own.has(one?.elements) ? { ...one, elements: own.get(one.elements) } : one));
        if (isResult(name)) result.then((answer) => said.push({ call: name, ...asSaid(answer) }), () => {});
        if (name === "create") for (const event of ["ready", "loaderror"]) result.on(event, () => said.push({ event }));
        return name === "elements" ? recorded(result) : result;
      } });
    own.set(proxy, object);
    return proxy;
  };
  window.Stripe = Object.assign(((make) => (...given) => recorded(make(...given)))(Stripe), { version: Stripe.version });
}`;

const list = z.array(z.unknown());

/**
 * Records what the page asks of Stripe.js, and what Stripe.js says: its events, and what its promises resolve with.
 * @param beforeItLoads is awaited once the page is there
 */
export async function recordStripeJs(page: Page, beforeItLoads = async () => {}) {
  await page.route("**/stripe.js", async (route) => {
    await beforeItLoads();
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + RECORDER });
  });
  const read = async (name: string) =>
    list.parse(await page.evaluate(`JSON.parse(JSON.stringify(window.${name} ?? []))`));
  return { calls: () => read("stripeCalls"), said: () => read("stripeSaid") };
}
