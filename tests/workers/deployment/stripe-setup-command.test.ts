import Stripe from "stripe";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/webhook-events";
import { stripeSetup } from "../../../tools/stripe-setup/stripe-setup";
import { clientOf } from "../../../tools/stripe-setup/target";
import type { WorkerSettings } from "../../../tools/wrangler/worker-settings";
import { stripeAt } from "../../support/visitors/visitor";
import { startStripeSimulator } from "../../support/workers/workers";
import { deployment } from "../../unit/tools/filled-in-deployment";
import { siteAlone } from "../../unit/tools/neighbors";
import { outcomeOf } from "../../unit/tools/outcome";

/* `npm run stripe:setup`: its exit code, its last line, and what it changes at Stripe, for each state of the account. */

const simulator = await startStripeSimulator();
afterAll(simulator.dispose);
const stripe = stripeAt(simulator);
const { hostname: host, port } = new URL(simulator.url);
const real: typeof clientOf = () => clientOf("sk_test_local", { protocol: "http", host, port });

const { site, api, other } = deployment();
const withPortal = (worker: WorkerSettings) => ({
  ...worker,
  vars: { ...worker.vars, CUSTOMER_PORTAL_URL: `${simulator.url}/p/login/test` },
});
const settingsOf = (target: string) =>
  target === "production" ? { site: withPortal(site), api: api && withPortal(api) } : other;

const KEY = { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" };
type Mode = "check" | "set-up";
const run = (mode: Mode, client: typeof clientOf = real, env: NodeJS.ProcessEnv = KEY) =>
  outcomeOf(() => stripeSetup("production", mode, { settingsOf, env }, client));

const url = "https://api.acme.com/webhooks/stripe";
const endpoints = async () => (await stripe.webhookEndpoints.list()).data.filter((one) => one.url === url);
const portals = async () => (await stripe.billingPortal.configurations.list()).data;
/** Everything that the command may change. */
const state = async () =>
  JSON.stringify([await endpoints(), await portals(), (await stripe.prices.list({ limit: 100 })).data]);

const AGAIN = "npm run stripe:setup production";
const RIGHT = "Everything at Stripe is right.";
const DIFFERS = `Stripe differs. To correct it: ${AGAIN}`;
const DONE = 'Set up emails and Radar by hand, because they have no API: docs/operations.md, "Stripe".';

const changeEndpoint = async (change: Stripe.WebhookEndpointUpdateParams) => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.update(id, change);
};

test.each([
  { what: "nothing is set up", before: async () => {}, says: "customer portal: there is no configuration" },
  {
    what: "the webhook endpoint is disabled",
    before: () => changeEndpoint({ disabled: true }),
    says: "is disabled",
  },
  {
    what: "the endpoint lacks events",
    before: () => changeEndpoint({ enabled_events: ["invoice.paid"] }),
    says: "does not send the events that the API needs",
  },
  {
    what: "the portal cancels at once",
    says: "is wrong in: features.subscription_cancel.mode",
    before: async () => {
      for (const { id } of await portals())
        await stripe.billingPortal.configurations.update(id, {
          features: { subscription_cancel: { enabled: true, mode: "immediately" } },
        });
    },
  },
])("where $what, a check fails and changes nothing, and setting up corrects it once", async ({ before, says }) => {
  await before();
  const found = await state();
  const check = await run("check");
  expect({ exitCode: check.exitCode, last: check.last }).toEqual({ exitCode: 1, last: DIFFERS });
  expect(check.output).toContain(says);
  expect(await state(), "changed by a check").toBe(found);

  const setUp = await run("set-up");
  expect({ exitCode: setUp.exitCode, last: setUp.last }).toEqual({ exitCode: 0, last: DONE });
  expect(await endpoints()).toEqual([expect.objectContaining({ status: "enabled" })]);

  const corrected = await state();
  const again = [await run("check"), await run("set-up")].map(({ exitCode, last }) => ({ exitCode, last }));
  expect(again).toEqual([
    { exitCode: 0, last: RIGHT },
    { exitCode: 0, last: DONE },
  ]);
  expect(await state(), "changed again").toBe(corrected);
});

/** An endpoint that the test removes again. */
async function newEndpoint(api_version: Stripe.WebhookEndpointCreateParams.ApiVersion) {
  const { id } = await stripe.webhookEndpoints.create({ api_version, enabled_events: WEBHOOK_EVENTS, url });
  onTestFinished(async () => void (await stripe.webhookEndpoints.del(id)));
  return id;
}

test("a first endpoint's secret is shown once, to be pasted alone", async () => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.del(id);
  const [first, second] = [await run("set-up"), await run("set-up")];
  expect(first.output).toMatch(/whsec_\w+\n.*, and paste the secret when it asks:\n {4}npx wrangler secret put/);
  expect(second.output).not.toContain("whsec_");
});

test("beside an endpoint of another version a second one is made, and the old one is named until it is disabled", async () => {
  for (const { id } of await endpoints()) await stripe.webhookEndpoints.del(id);
  const old = await newEndpoint("2020-08-27");
  expect((await run("set-up")).output).toContain("and paste this secret, a comma and the old secret when it asks");
  const both = await run("check");
  expect({ exitCode: both.exitCode, last: both.last }).toEqual({ exitCode: 1, last: DIFFERS });
  expect(both.output).toContain(`${old} sends the same events (version 2020-08-27): disable it three days after`);
  await stripe.webhookEndpoints.update(old, { disabled: true });
  const { exitCode, last } = await run("check");
  expect({ exitCode, last }).toEqual({ exitCode: 0, last: RIGHT });
});

test("a newer endpoint that is disabled changes nothing beside the one that works", async () => {
  await run("set-up");
  await stripe.webhookEndpoints.update(await newEndpoint(Stripe.API_VERSION), { disabled: true });
  const { exitCode, last } = await run("check");
  expect({ exitCode, last }).toEqual({ exitCode: 0, last: RIGHT });
});

/** A client of a Stripe that answers like this. */
const answering = (fetch: typeof globalThis.fetch, options: Stripe.StripeConfig = {}): typeof clientOf => {
  const httpClient = Stripe.createFetchHttpClient(fetch);
  return () => clientOf("sk_test_local", { maxNetworkRetries: 0, httpClient, ...options });
};
const error = (status: number, body: object) => answering(async () => Response.json({ error: body }, { status }));

const DEFAULT = { id: "bpc_default", is_default: true, login_page: { url: null }, metadata: {} };
const OURS = { ...DEFAULT, id: "bpc_ours", is_default: false, metadata: { made_by: "npm run stripe:setup" } };
const IN_SETTINGS = { ...OURS, id: "bpc_settings", metadata: {}, login_page: { url: `${simulator.url}/p/login/test` } };
const OTHER = { ...OURS, id: "bpc_other", metadata: {} };

test.each([
  { portals: [DEFAULT, OURS, IN_SETTINGS, OTHER], checked: IN_SETTINGS },
  { portals: [OTHER, DEFAULT, OURS], checked: OURS },
  { portals: [OTHER, DEFAULT], checked: DEFAULT },
])("of $portals.length portal configurations $checked.id is checked", async ({ portals: data, checked }) => {
  const { output } = await run(
    "check",
    answering(async () => Response.json({ object: "list", data })),
  );
  expect(output).toContain(`customer portal: ${checked.id} is wrong in: features`);
});

const WRONG: { what: string; client: typeof clientOf; says: RegExp }[] = [
  {
    what: "is silent",
    client: answering(async () => {
      throw new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND api.stripe.com") });
    }),
    says: /✗ Stripe cannot be reached \(.*ENOTFOUND api\.stripe\.com\): check the network/,
  },
  {
    what: "is slow",
    client: answering(
      (_, init) =>
        new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
      { timeout: 1 },
    ),
    says: /✗ Stripe cannot be reached \(.*\): check the network/,
  },
  {
    what: "answers HTML",
    client: answering(async () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } })),
    says: /✗ Stripe answered /,
  },
  { what: "fails", client: error(500, { type: "api_error", message: "Down" }), says: /✗ Stripe answered 500 .*Down/ },
  { what: "does not know the key", client: error(401, { message: "No" }), says: /✗ Stripe does not know the key/ },
  {
    what: "lacks a permission",
    client: error(403, { message: "needs rak_webhook_write" }),
    says: /✗ webhook endpoint: The key lacks the permission rak_webhook_write/,
  },
];

test.each(WRONG.flatMap((one) => (["check", "set-up"] as const).map((mode) => ({ ...one, mode }))))(
  "a Stripe that $what fails the command ($mode), which says what to do",
  async ({ client, says, mode }) => {
    const { exitCode, last, output } = await run(mode, client);
    const command =
      mode === "check"
        ? `checked. Correct the problem above, then: ${AGAIN} -- --check`
        : `set up. Correct the problem above, then: ${AGAIN}`;
    expect({ exitCode, last }).toEqual({ exitCode: 1, last: `Not everything could be ${command}` });
    expect(output).toMatch(says);
  },
);

test.each([
  { what: "no key", env: {}, says: "Set STRIPE_SECRET_KEY: read -rs STRIPE_SECRET_KEY && export STRIPE_SECRET_KEY" },
  {
    what: "a test key",
    env: { STRIPE_SECRET_KEY: "sk_test_0123456789abcdef" },
    says: "STRIPE_SECRET_KEY is not a live key",
  },
])("with $what, production is left alone", async ({ env, says }) => {
  const { exitCode, last } = await run("set-up", real, env);
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: expect.stringContaining(says) });
});

test("a site that is deployed alone leaves its owner's Stripe account alone", async () => {
  const alone = { settingsOf: siteAlone, env: {} };
  const { exitCode, last } = await outcomeOf(() => stripeSetup("production", "set-up", alone));
  expect({ exitCode, last }).toEqual({
    exitCode: 0,
    last: expect.stringMatching(/^The site alone: .* with that API\.$/),
  });
});
