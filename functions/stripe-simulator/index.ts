import type { DurableObjectState } from "@cloudflare/workers-types";
import { Hono } from "hono";
import * as z from "zod";
import files from "../../build/stripe-simulator-elements/files.json";
import { type Account, api, type StripeContext } from "./api/router";
import { advance } from "./clock/steps";
import { timeOf } from "./clock/time";
import { bank } from "./pages/bank-page";
import { customerConsole } from "./pages/console-page";
import { dashboard } from "./pages/dashboard-page";
import { emails, mailbox } from "./pages/mailbox-page";
import { customerPortal } from "./pages/portal-page";
import { endpointOf } from "./resources/account-settings";
import { savePlaceholderPrices } from "./resources/prices";
import { deliveries } from "./store/deliveries";
import { effectsAt } from "./store/events";
import { storeIn } from "./store/store";

const environment = z.object({
  WEBHOOK_URL: z.url(),
  WEBHOOK_SECRET: z.string().min(1),
  WEBHOOK_EVENTS: z.string().transform((types) => types.split(",").map((type) => type.trim())),
  CONSOLE_WEBHOOK_SECRET: z.string().startsWith("whsec_"),
});

/**
 * A Stripe account, a mailbox and a console in one Durable Object, for people and browsers. tests/stripe-facts compares
 * it with Stripe. tests/simulation has a model of its own, because it runs thousands of sign-ups and fails at any step.
 */
export class StripeAccount {
  readonly #account: Account;
  readonly #deliveries: ReturnType<typeof deliveries>;
  readonly #routes: Hono<StripeContext>;

  constructor(
    private readonly state: DurableObjectState,
    env: unknown,
  ) {
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_EVENTS: events, ...own } = environment.parse(env);
    const store = storeIn(state.storage.sql);
    savePlaceholderPrices(store, timeOf(store));
    store.save("WebhookEndpoint", endpointOf("we_simulated", url, events, 0));
    this.#account = {
      store,
      complaints: [],
      effects: (request = { id: null, idempotency_key: null }, testClock = null) =>
        effectsAt(timeOf(store, testClock), store, events, request),
    };
    const later = (sending: Promise<void>) => state.waitUntil(sending.then(() => this.#catchUp()));
    this.#deliveries = deliveries(store, { url, secret }, later);
    this.#routes = routes(this.#account, own.CONSOLE_WEBHOOK_SECRET);
  }

  async fetch(request: Request): Promise<Response> {
    const answer = await this.#routes.fetch(request);
    if (request.method !== "GET") await this.#catchUp();
    return answer;
  }

  async alarm(): Promise<void> {
    this.#deliveries.sendDue();
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { store, complaints, effects } = this.#account;
    try {
      advance(timeOf(store), effects());
    } catch (error) {
      complaints.push(`The clock: ${String(error)}`);
    }
    const { due = Infinity } = store.due("step", 1)[0] ?? {};
    const next = Math.min(this.#deliveries.next(), Date.now() + (due - timeOf(store) + 1) * 1000);
    if (next < Infinity) await this.state.storage.setAlarm(next);
  }
}

function routes(account: Account, consoleSecret: string): Hono<StripeContext> {
  return new Hono<StripeContext>()
    .use(async (c, next) => {
      c.set("account", account);
      await next();
    })
    .get("/", (c) => c.redirect("/dashboard"))
    .get("/health", (c) => c.json({ status: "ok", complaints: account.complaints }))
    .route("/v1", api)
    .get("/endive/stripe.js", (c) => c.body(files.stripeJs, 200, { "content-type": "text/javascript; charset=utf-8" }))
    .get("/elements", (c) => c.html(files.frame))
    .route("/authenticate", bank)
    .route("/p", customerPortal)
    .route("/emails", emails)
    .route("/mailbox", mailbox)
    .route("/console", customerConsole(consoleSecret))
    .route("/dashboard", dashboard);
}

type AccountNamespace = { getByName(name: string): { fetch(request: Request): Promise<Response> } };

const THIS_MACHINE = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Other hosts get a 421, so that no other site reads the mailbox by DNS rebinding, unless `npm start` got a HOST. */
export default {
  fetch(
    request: Request,
    { ACCOUNT, HOST }: { ACCOUNT: AccountNamespace; HOST?: string },
  ): Promise<Response> | Response {
    if (!THIS_MACHINE.test(new URL(request.url).hostname) && !HOST)
      return new Response("The simulator serves this machine only, unless npm start has a HOST.", { status: 421 });
    return ACCOUNT.getByName("test").fetch(request);
  },
};
