import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Stripe from "stripe";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/events";
import { checkStripe } from "../../../tools/preflight/preflight";
import type { Line } from "../../../tools/stripe-setup/line";
import { setUpStripe } from "../../../tools/stripe-setup/set-up";
import { clientOf, type Target, targetOf } from "../../../tools/stripe-setup/target";
import { stripeAt } from "../../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../../support/workers/workers";

const root = join(import.meta.dirname, "../../..");
const URL_OF_WEBHOOKS = "https://api.acme.com/webhooks/stripe";

/** Fresh accounts, one for each test. */
const running: RunningWorker[] = [];
afterAll(() => Promise.all(running.map((worker) => worker.dispose())));

describe("the setup of Stripe", () => {
  let simulator: RunningWorker;
  /** Method and path of each call since the last run. */
  const calls: string[] = [];
  beforeEach(async () => {
    simulator = await startStripeSimulator();
    running.push(simulator);
  });

  /** The account of a deployment. `refuses` answers a call in Stripe's place. */
  function deployment(change: Partial<Target> = {}, refuses: (call: string) => Response | undefined = () => undefined) {
    const node = Stripe.createNodeHttpClient();
    const httpClient: Stripe.HttpClient = {
      getClientName: () => "recorded",
      makeRequest(...request) {
        const call = `${request[3]} ${request[2]}`;
        calls.push(call);
        const stripe = Stripe.createFetchHttpClient(async () => refuses(call) ?? Response.error());
        return (refuses(call) ? stripe : node).makeRequest(...request);
      },
    };
    const urls = { webhookUrl: URL_OF_WEBHOOKS, siteUrl: "https://www.acme.com", customerPortalUrl: "" };
    const client = clientOf("sk_test_local", new URL(simulator.url), httpClient);
    return { ...targetOf("local", {}), ...urls, place: "production", ...client, ...change } satisfies Target;
  }

  async function run(target: Target, mode: "check" | "set-up" = "set-up") {
    calls.length = 0;
    const lines: Line[] = [];
    await setUpStripe(target, mode, (line) => lines.push(line));
    const written = calls.filter((call) => !call.startsWith("GET"));
    const marked = (mark: Line["mark"]) => lines.filter((line) => line.mark === mark).map((line) => line.text);
    return { lines, written, marked, all: lines.map((line) => line.text).join("\n") };
  }

  const withPortal = () => deployment({ customerPortalUrl: `${simulator.url}/p/login/test` });

  async function account() {
    const stripe = stripeAt(simulator);
    const [endpoints, portals, prices] = await Promise.all([
      stripe.webhookEndpoints.list(),
      stripe.billingPortal.configurations.list({ expand: ["data.features.subscription_update.products"] }),
      stripe.prices.list({ limit: 100 }),
    ]);
    return { endpoints: endpoints.data, portals: portals.data, prices: prices.data };
  }

  const endpointOf = (found: Awaited<ReturnType<typeof account>>) =>
    found.endpoints.filter(({ url }) => url === URL_OF_WEBHOOKS);

  test("stripe:setup creates webhook endpoint, prices and portal, and shows the secret and the portal's URL once [O1]", async () => {
    const first = await run(deployment());
    expect(first.marked("failed")).toEqual([]);
    const [secret = ""] = /whsec_\w+/.exec(first.all) ?? [];
    expect(first.all).toContain(
      `${secret}\n  Type this command, and paste the secret when it asks:\n    npx wrangler secret put STRIPE_WEBHOOK_SECRET --env production --cwd functions/subscription-api`,
    );
    expect(first.all.split(secret)).toHaveLength(2);
    expect(first.marked("differs")).toEqual([
      `customer portal: set in wrangler.toml and functions/subscription-api/wrangler.toml CUSTOMER_PORTAL_URL = "${simulator.url}/p/login/test"`,
    ]);

    const made = await account();
    expect(endpointOf(made)).toMatchObject([{ api_version: Stripe.API_VERSION, status: "enabled" }]);
    expect(endpointOf(made)[0]?.enabled_events).toEqual(WEBHOOK_EVENTS);
    const plans = made.prices.filter(({ lookup_key }) => lookup_key !== null);
    expect(plans.map(({ unit_amount }) => unit_amount).sort()).toEqual([10_000, 20_000, 50_000]);
    expect(made.portals).toMatchObject([
      {
        features: {
          invoice_history: { enabled: true },
          payment_method_update: { enabled: true },
          subscription_cancel: { enabled: true, mode: "at_period_end" },
          subscription_update: {
            enabled: true,
            default_allowed_updates: ["price"],
            proration_behavior: "create_prorations",
            trial_update_behavior: "continue_trial",
          },
        },
        login_page: { enabled: true },
        business_profile: { privacy_policy_url: "https://www.acme.com/privacy" },
      },
    ]);
    const offered = made.portals[0]?.features.subscription_update.products ?? [];
    expect(offered.flatMap(({ prices }) => prices).sort()).toEqual(plans.map(({ id }) => id).sort());
  });

  test("a second stripe:setup changes nothing and shows no secret [O2]", async () => {
    await run(withPortal());
    const before = await account();
    const again = await run(withPortal());
    expect(again.lines.map(({ mark }) => mark)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(again.written).toEqual([]);
    expect(again.all).not.toContain("whsec_");
    expect(again.all).toContain(`CUSTOMER_PORTAL_URL = "${simulator.url}/p/login/test"`);
    expect(await account()).toEqual(before);
    expect(await checkStripe(withPortal())).toEqual({ findings: [], unchecked: [] });
  });

  test("stripe:setup --check only lists differences; without --check they are fixed [O2]", async () => {
    const fresh = await run(deployment(), "check");
    expect(fresh.written).toEqual([]);
    expect(fresh.marked("differs")).toEqual([
      `webhook endpoint: there is none for ${URL_OF_WEBHOOKS}`,
      ...[
        ["MINI", 100],
        ["LITE", 200],
        ["STANDARD", 500],
      ].map(([name, dollars]) => expect.stringContaining(`prices: ${name} has no price of $${dollars} a month`)),
      "customer portal: there is no configuration",
    ]);

    await run(withPortal());
    const stripe = stripeAt(simulator);
    const { endpoints, portals, prices } = await account();
    const [endpoint, configuration] = [endpoints.find(({ url }) => url === URL_OF_WEBHOOKS), portals[0]];
    const { id: old } = await stripe.webhookEndpoints.create({
      api_version: "2024-06-20",
      enabled_events: ["*"],
      url: URL_OF_WEBHOOKS,
    });
    await stripe.webhookEndpoints.update(String(endpoint?.id), {
      disabled: true,
      enabled_events: [...WEBHOOK_EVENTS.slice(1), "invoice.created"],
    });
    await stripe.billingPortal.configurations.update(String(configuration?.id), {
      features: { subscription_cancel: { enabled: true, mode: "immediately" }, invoice_history: { enabled: false } },
    });
    const [mini] = prices.filter(({ unit_amount }) => unit_amount === 10_000);
    await stripe.prices.create({
      currency: "usd",
      lookup_key: String(mini?.lookup_key),
      product: String(mini?.product),
      recurring: { interval: "month" },
      transfer_lookup_key: true,
      unit_amount: 12_000,
    });

    const before = await account();
    const early = (await checkStripe(withPortal())).findings.map(({ what }) => what);
    expect(early.filter((what) => what.includes(old))).toEqual([]);
    // Stripe no longer repeats the old endpoint's events.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 24 * 60 * 60_000 + 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    const { findings } = await checkStripe(withPortal());
    expect(findings.map(({ what }) => what)).toEqual([
      `webhook endpoint: ${old} sends events of the version 2024-06-20, not ${Stripe.API_VERSION}`,
      `webhook endpoint: ${endpoint?.id} lacks setup_intent.succeeded; ${endpoint?.id} needs no invoice.created`,
      `webhook endpoint: ${endpoint?.id} is disabled`,
      expect.stringContaining("prices: MINI has no price of $100 a month"),
      `customer portal: ${configuration?.id} is wrong in: canceling at the period's end, the invoices, the plans`,
    ]);
    expect(await account()).toEqual(before);

    expect((await run(withPortal())).marked("failed")).toEqual([]);
    expect((await checkStripe(withPortal())).findings).toEqual([]);
    const mended = endpointOf(await account());
    expect(mended.find(({ id }) => id === old)).toMatchObject({ status: "disabled" });
    expect(mended).toHaveLength(2);
  });

  test("stripe:setup names a restricted key's missing permission and where to add it, and continues with the rest [O3]", async () => {
    const lacking = (call: string) =>
      call.startsWith("GET /v1/webhook_endpoints")
        ? Response.json(
            { error: { type: "invalid_request_error", message: "Having the 'rak_webhook_read' permission" } },
            { status: 403 },
          )
        : undefined;
    const sentence = expect.stringMatching(
      /^webhook endpoint: The key lacks a permission \(rak_webhook_read\): tick it at \S+apikeys/,
    );
    const said = await run(deployment({}, lacking));
    expect(said.marked("failed")).toEqual([sentence]);
    expect(said.marked("changed")).toContainEqual(expect.stringMatching(/^customer portal: bpc_/));
    expect((await run(deployment({}, lacking), "check")).marked("untested")).toEqual([sentence]);
  });

  test("stripe:setup says in one sentence how to handle a wrong key, a missing network or an error at Stripe [O4]", async () => {
    const answers = (status: number, type: string) => () =>
      Response.json({ error: { type, message: "Key sk_x" } }, { status });
    const nowhere = clientOf("sk_test_local", new URL("http://127.0.0.1:9"));
    const failed = async (target: Target) => (await run(target)).lines;
    const line = (text: RegExp) => [{ mark: "failed", text: expect.stringMatching(text) }];
    expect(await failed(deployment({}, answers(401, "invalid_request_error")))).toEqual(
      line(/^Stripe does not know the key: copy it again from \S+, of the same account and mode\.$/),
    );
    expect(await failed(deployment({}, answers(500, "api_error")))).toEqual(
      line(/^Stripe failed with the status 500: run this again, nothing is done twice\.$/),
    );
    expect(await failed(deployment(nowhere))).toEqual(
      line(/^Stripe cannot be reached: look at the network and at \S+, then run this again\.$/),
    );
  });

  /** Runs `npm run stripe:setup` without any key. */
  async function command(url: string) {
    const env = { PATH: process.env.PATH ?? "" };
    const program = ["--import", "tsx", "tools/stripe-setup.ts", "--url", url];
    const child = spawn(process.execPath, program, { cwd: root, env });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { said: out + err, exitCode };
  }

  test("npm run stripe:setup sets up the local simulator without a key, or exits with 1 and one sentence [O1] [O4]", async () => {
    const [done, refused] = await Promise.all([simulator.url, "http://127.0.0.1:9"].map(command));
    expect(done).toMatchObject({ exitCode: 0, said: expect.stringContaining("+ customer portal: bpc_") });
    expect(done?.said).not.toContain("whsec_");
    expect(refused).toEqual({
      exitCode: 1,
      said: "✗ The simulator cannot be reached: run npm start beside this.\n",
    });
  });

  test.each([
    ["production", undefined, "Set the variable STRIPE_SECRET_KEY to the API's key"],
    ["production", "pk_test_0123456789abcdef", "STRIPE_SECRET_KEY is the publishable key"],
    ["production", "0123456789abcdef", "STRIPE_SECRET_KEY is no key of Stripe's"],
    ["production", "sk_test_0123456789abcdef", "PUBLIC_URL is still a placeholder"],
    ["sandbox", "rk_live_0123456789abcdef", "STRIPE_SECRET_KEY is a live key"],
  ] as const)("stripe:setup in %s refuses the key %s before any request [O4]", (place, STRIPE_SECRET_KEY, sentence) => {
    expect(() => targetOf(place, { STRIPE_SECRET_KEY })).toThrow(sentence);
    expect(() => targetOf(place, { STRIPE_SECRET_KEY })).not.toThrow("0123456789abcdef");
  });
});
