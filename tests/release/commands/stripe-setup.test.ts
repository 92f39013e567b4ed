import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import Stripe from "stripe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/events";
import { checkStripe } from "../../../tools/preflight/preflight";
import { setUpStripe } from "../../../tools/stripe-setup/stripe-setup";
import { clientOf, type Line, type Target, targetOf } from "../../../tools/stripe-setup/target";
import { root } from "../../../tools/wrangler/wrangler";
import { stripeAt } from "../../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../../support/workers/workers";

/* `npm run stripe:setup` against a fresh account of the simulator. */

const WEBHOOK_URL = "https://api.acme.com/webhooks/stripe";

let simulator: RunningWorker;
beforeEach(async () => {
  simulator = await startStripeSimulator();
});
afterEach(() => simulator.dispose());

/** A production's account. `answer` is given to every call in Stripe's place. */
function production(answer?: (path: string) => Response | undefined): Target {
  const node = Stripe.createNodeHttpClient();
  const httpClient: Stripe.HttpClient = {
    getClientName: () => "test",
    makeRequest(...request) {
      const given = answer?.(request[2]);
      return (given ? Stripe.createFetchHttpClient(async () => given) : node).makeRequest(...request);
    },
  };
  const { hostname: host, port } = new URL(simulator.url);
  return {
    ...targetOf("sandbox", { STRIPE_SECRET_KEY: "sk_test_local" }),
    place: "production",
    webhookUrl: WEBHOOK_URL,
    siteUrl: "https://www.acme.com",
    customerPortalUrl: `${simulator.url}/p/login/test`,
    ...clientOf("sk_test_local", { protocol: "http", host, port, httpClient }),
  };
}

async function run(target: Target, mode: "check" | "set-up" = "set-up") {
  const lines: Line[] = [];
  await setUpStripe(target, mode, (line) => lines.push(line));
  return { marks: lines.map(({ mark }) => mark), said: lines.map((line) => line.text).join("\n") };
}

test("stripe:setup makes webhook endpoint, prices and portal, shows the signing secret once, and changes nothing when run again", async () => {
  const fresh = await checkStripe(production);
  expect(fresh.map((what) => what.replace(/^Stripe: (webhook endpoint|prices|customer portal): .*/, "$1"))).toEqual([
    "webhook endpoint",
    "prices",
    "prices",
    "prices",
    "customer portal",
  ]);

  const first = await run(production());
  expect(new Set(first.marks)).toEqual(new Set(["changed", "ok"]));
  expect(first.said).toMatch(
    /whsec_\w+\n.*paste the secret.*\n {4}npx wrangler secret put STRIPE_WEBHOOK_SECRET --env production --cwd/,
  );
  const stripe = stripeAt(simulator);
  const endpoints = (await stripe.webhookEndpoints.list()).data.filter(({ url }) => url === WEBHOOK_URL);
  expect(endpoints).toMatchObject([
    { api_version: Stripe.API_VERSION, status: "enabled", enabled_events: WEBHOOK_EVENTS },
  ]);
  const prices = (await stripe.prices.list({ limit: 100 })).data.filter(({ lookup_key }) => lookup_key !== null);
  expect(prices.map(({ unit_amount }) => unit_amount).sort()).toEqual([10_000, 20_000, 50_000]);

  const again = await run(production());
  expect(new Set(again.marks)).toEqual(new Set(["ok"]));
  expect(again.said).not.toContain("whsec_");
  expect(await checkStripe(production)).toEqual([]);
});

test("--check lists what differs, and stripe:setup corrects it", async () => {
  await run(production());
  const stripe = stripeAt(simulator);
  const endpoint = (await stripe.webhookEndpoints.list()).data.find(({ url }) => url === WEBHOOK_URL);
  const [configuration] = (await stripe.billingPortal.configurations.list()).data;
  await stripe.webhookEndpoints.update(String(endpoint?.id), { enabled_events: ["invoice.paid"] });
  await stripe.billingPortal.configurations.update(String(configuration?.id), {
    features: { subscription_cancel: { enabled: true, mode: "immediately" }, invoice_history: { enabled: false } },
  });
  expect(await checkStripe(production)).toEqual([
    `Stripe: webhook endpoint: ${endpoint?.id} does not send the events that the API reads`,
    `Stripe: customer portal: ${configuration?.id} is wrong in: features.invoice_history.enabled, features.subscription_cancel.mode`,
  ]);
  await run(production());
  expect(await checkStripe(production)).toEqual([]);
});

const refused = (status: number, type: string, message = "") => Response.json({ error: { type, message } }, { status });

test("a key without a permission fails one part, and a wrong key or an outage ends with one sentence", async () => {
  const lacking = (path: string) =>
    path.startsWith("/v1/webhook_endpoints")
      ? refused(403, "invalid_request_error", "the 'rak_webhook_read' permission")
      : undefined;
  const partly = await run(production(lacking));
  expect(partly.marks.filter((mark) => mark === "failed")).toHaveLength(1);
  expect(partly.said).toMatch(/^webhook endpoint: The key lacks the permission rak_webhook_read: tick it at/);

  const wrong = await run(production(() => refused(401, "invalid_request_error", "Key sk_x")));
  expect(wrong).toEqual({
    marks: ["failed"],
    said: expect.stringMatching(/^Stripe does not know the key: copy it again/),
  });
  const down = await run(production(() => refused(500, "api_error")));
  expect(down.said).toBe("Stripe answered 500 (no request ID): ");
});

test("npm run stripe:setup exits with 1 and one sentence without a place or a key", async () => {
  const command = async (...options: string[]) => {
    const program = ["--import", "tsx", "tools/stripe-setup/stripe-setup.ts", ...options];
    const child = spawn(process.execPath, program, { cwd: root, env: { PATH: process.env.PATH ?? "" } });
    const ended = once(child, "close");
    const said = (await text(child.stdout)) + (await text(child.stderr));
    return { said, exitCode: (await ended)[0] };
  };
  expect(await command()).toEqual({ exitCode: 1, said: "Choose one of --production, --staging and --sandbox.\n" });
  expect(await command("--sandbox")).toEqual({
    exitCode: 1,
    said: expect.stringMatching(/^Set STRIPE_SECRET_KEY: .*\n$/),
  });
});
