import { FAST_API } from "../workers/fast-api";
import {
  freePort,
  type RunningWorker,
  startStripeSimulator,
  startSubscriptionApi,
  type Vars,
} from "../workers/workers";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy";

/** The fast API and its simulator, with a part that fails on demand on every way between them. */
export type FaultyBackend = {
  api: RunningWorker;
  stripe: RunningWorker;
  /** From the API to Stripe, to the mail provider, to the console, and to the database. */
  proxy: FaultyProxy;
  /** From Stripe to the API: it loses every webhook until it is told otherwise. */
  webhooks: FaultyProxy;
  dispose: () => Promise<void>;
};

export async function startFaultyBackend(vars?: Vars): Promise<FaultyBackend> {
  const port = await freePort();
  const webhooks = await startFaultyProxy(`http://localhost:${port}`);
  webhooks.decide(() => "refuse");
  const stripe = await startStripeSimulator({ webhookUrl: `${webhooks.url}/webhooks/stripe` });
  const proxy = await startFaultyProxy(stripe.url);
  const api = await startSubscriptionApi({ simulatorUrl: proxy.url, port, vars, wrapper: proxy.database, ...FAST_API });
  return {
    api,
    stripe,
    proxy,
    webhooks,
    dispose: async () => {
      await Promise.all([api, stripe, proxy, webhooks].map((part) => part.dispose()));
    },
  };
}
