import type { DurableObjectState } from "@cloudflare/workers-types";
import { Hono } from "hono";
import * as z from "zod";
import { api } from "./api/api";
import type { StripeContext } from "./api/context";
import { authentication } from "./authentication";
import { customerConsole } from "./console";
import { emails, mailbox } from "./mailbox";
import { customerPortal } from "./portal";
import { type Store, storeIn } from "./store";
import { deliverDue, type Endpoint, newDelivery } from "./webhooks";

const environment = z.object({
  WEBHOOK_URL: z.url(),
  WEBHOOK_SECRET: z.string().min(1),
  CONSOLE_WEBHOOK_SECRET: z.string().startsWith("whsec_"),
});

const DEFAULT_API_VERSION = "2026-10-28.endive";

/** A Stripe account, a mailbox and a console in one Durable Object: one state, which survives restarts. */
export class StripeAccount {
  readonly #state: DurableObjectState;
  readonly #store: Store;
  readonly #endpoint: Endpoint;
  readonly #consoleSecret: string;
  readonly #routes: Hono<StripeContext>;

  constructor(state: DurableObjectState, env: unknown) {
    const { WEBHOOK_URL, WEBHOOK_SECRET, CONSOLE_WEBHOOK_SECRET } = environment.parse(env);
    this.#state = state;
    this.#store = storeIn(state.storage.sql);
    this.#endpoint = { url: WEBHOOK_URL, secret: WEBHOOK_SECRET };
    this.#consoleSecret = CONSOLE_WEBHOOK_SECRET;
    this.#routes = this.#wire();
  }

  async fetch(request: Request): Promise<Response> {
    return this.#routes.fetch(request);
  }

  /** Sends webhooks apart from the request that caused them. */
  async alarm(): Promise<void> {
    deliverDue(this.#store, this.#endpoint, (sending) =>
      this.#state.waitUntil(sending.then(() => this.#wakeForNextDelivery())),
    );
    await this.#wakeForNextDelivery();
  }

  async #wakeForNextDelivery(): Promise<void> {
    const next = this.#store.deliveries()[0];
    if (next) await this.#state.storage.setAlarm(next.due);
  }

  #wire(): Hono<StripeContext> {
    const routes = new Hono<StripeContext>();
    routes.use(async (c, next) => {
      c.set("store", this.#store);
      c.set("emit", (type, object) => {
        const origin = {
          requestId: c.var.requestId,
          idempotencyKey: c.req.header("idempotency-key") ?? null,
          apiVersion: c.req.header("stripe-version") ?? DEFAULT_API_VERSION,
        };
        this.#store.saveDelivery(newDelivery(type, object, origin));
        this.#state.waitUntil(this.#state.storage.setAlarm(Date.now()));
      });
      await next();
    });
    routes.route("/v1", api);
    routes.route("/authenticate", authentication);
    routes.route("/p", customerPortal);
    routes.route("/emails", emails);
    routes.route("/mailbox", mailbox);
    routes.route("/console", customerConsole(this.#consoleSecret));
    return routes;
  }
}
