import type { Vars } from "../../../tools/wrangler/built-worker";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { type RunningWorker, startWorker, type WorkerPlan } from "../../support/workers/miniflare";
import { startStripeSimulator } from "../../support/workers/workers";

/** Where the API of these tests says that it is. */
export const API_ORIGIN = "https://api.citewell.dev";

const OPERATOR_TOKEN = "an-operator-token-of-the-tests-with-more-than-32-characters";

const STRIPE = "https://api.stripe.com";

/** The fast API with its settings for production; what it sends to Stripe reaches a simulator. */
export function deployedApi(stripe: { url: string }, vars: Vars = {}): WorkerPlan {
  return {
    folder: "functions/subscription-api",
    bundle: "subscription-api/index.js",
    environment: "production",
    vars: {
      STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
      LINK_SECRET: "signs-the-links-of-the-tests-of-a-deployment",
      HASH_SECRET: "keys-the-hashes-of-the-tests-of-a-deployment",
      OPERATOR_TOKEN,
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      ...vars,
    },
    miniflare: { outboundService: toSimulator(stripe) },
  };
}

type DeployedApi = {
  api: RunningWorker;
  stripe: RunningWorker;
  /** A request from the network, as Cloudflare's edge hands it on. */
  ask(path: string, init?: RequestInit & { origin?: string }): Promise<Response>;
  dispose(): Promise<void>;
};

export async function startDeployedApi(vars: Vars = {}): Promise<DeployedApi> {
  const stripe = await startStripeSimulator();
  const api = await startWorker(deployedApi(stripe, vars));
  await migrateDatabase(api.database);
  return {
    api,
    stripe,
    ask: (path, init) => askAt(api, path, init),
    dispose: async () => {
      await Promise.all([api.dispose(), stripe.dispose()]);
    },
  };
}

async function askAt(
  { mf }: RunningWorker,
  path: string,
  { origin = API_ORIGIN, ...init }: RequestInit & { origin?: string } = {},
) {
  const { method, headers, body } = init;
  const response = await mf.dispatchFetch(origin + path, {
    method: method ?? "GET",
    headers: [...new Headers(headers)],
    redirect: "manual",
    ...(typeof body === "string" && { body }),
  });
  return new Response(await response.text(), { status: response.status, headers: [...response.headers] });
}

function toSimulator(stripe: { url: string }) {
  return async (request: Request): Promise<Response> => {
    if (!request.url.startsWith(STRIPE)) return new Response(null, { status: 599 });
    const { method, headers } = request;
    const body = method === "GET" || method === "DELETE" ? undefined : await request.text();
    const answer = await fetch(request.url.replace(STRIPE, stripe.url), {
      method,
      headers: [...headers].filter(([name]) =>
        /^(authorization|content-type|idempotency-key|stripe-version)$/i.test(name),
      ),
      ...(body !== undefined && { body }),
    });
    const type = answer.headers.get("content-type") ?? "application/json";
    return new Response(await answer.text(), { status: answer.status, headers: { "content-type": type } });
  };
}
