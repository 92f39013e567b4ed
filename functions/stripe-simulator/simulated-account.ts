import type { DurableObjectState } from "@cloudflare/workers-types";
import { Hono } from "hono";
import * as z from "zod";
import { api } from "./api/api";
import type { Account, Effects, StripeContext } from "./api/operation-context";
import { advance } from "./clock/advance";
import { ACCOUNT_CLOCK, clockOf, realTime, timeOf } from "./clock/time";
import { authentication } from "./pages/authentication-page";
import { customerConsole } from "./pages/console-page";
import { dashboard } from "./pages/dashboard-page";
import { funnel } from "./pages/funnel-page";
import { emails, mailbox } from "./pages/mailbox-page";
import { customerPortal } from "./pages/portal-page";
import { ownerOf, type Store, storeIn } from "./store/store";
import { deliveries } from "./webhooks/deliveries";
import { type Emit, newEvent } from "./webhooks/new-event";

const environment = z.object({
  WEBHOOK_URL: z.url(),
  WEBHOOK_SECRET: z.string().min(1),
  /** Types of events, separated by commas; `*` for all. */
  WEBHOOK_EVENTS: z.string().transform((types) => types.split(",").map((type) => type.trim())),
  CONSOLE_WEBHOOK_SECRET: z.string().startsWith("whsec_"),
});

/** A Stripe account, a mailbox and a console in one Durable Object: one state, which survives restarts. */
export class StripeAccount {
  readonly #state: DurableObjectState;
  readonly #store: Store;
  readonly #environment: z.output<typeof environment>;
  readonly #account: Account;
  readonly #deliveries: ReturnType<typeof deliveries>;
  readonly #routes: Hono<StripeContext>;

  constructor(state: DurableObjectState, env: unknown) {
    this.#state = state;
    this.#store = storeIn(state.storage.sql);
    this.#environment = environment.parse(env);
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_EVENTS: events } = this.#environment;
    const endpoint = { url, events };
    this.#deliveries = deliveries(this.#store, { url, secret }, (sending) =>
      state.waitUntil(sending.then(() => this.#wakeForNext())),
    );
    this.#account = {
      store: this.#store,
      complaints: [],
      endpoint,
      planNames: planNames(Object(env)),
      effects: (request) => this.#effects(request),
    };
    this.#routes = this.#wire();
  }

  async fetch(request: Request): Promise<Response> {
    const answer = await this.#routes.fetch(request);
    if (request.method === "GET") return answer;
    this.#catchUp();
    await this.#wakeForNext();
    return answer;
  }

  async alarm(): Promise<void> {
    this.#catchUp();
    this.#deliveries.sendDue();
    await this.#wakeForNext();
  }

  #catchUp(): void {
    const clocks = [ACCOUNT_CLOCK, ...this.#store.list("TestClock").map(({ id }) => id)];
    try {
      for (const clock of clocks) advance(clock, timeOf(this.#store, clock), this.#effects().at);
    } catch (error) {
      this.#account.complaints.push(`The clock: ${String(error)}`);
    }
  }

  async #wakeForNext(): Promise<void> {
    const due = this.#store.nextDue(ACCOUNT_CLOCK)?.at;
    const step = due === undefined ? undefined : (due - timeOf(this.#store) + realTime() + 1) * 1000;
    const next = Math.min(this.#deliveries.next() ?? Infinity, step ?? Infinity);
    if (next < Infinity) await this.#state.storage.setAlarm(next);
  }

  /** @param request undefined for the clock's own steps */
  #effects(request?: { id: string; idempotencyKey: string | null }, frozen?: number): Effects {
    const store = this.#store;
    const now = (customer?: string | null) =>
      frozen ?? timeOf(store, clockOf(customer ? store.find("Customer", customer) : undefined));
    const emit: Emit = (type, object, previous) => {
      const time = now(ownerOf(object));
      const origin = { requestId: request?.id ?? null, idempotencyKey: request?.idempotencyKey ?? null, time };
      const event = store.save("Event", newEvent(type, object, previous, origin));
      const { WEBHOOK_EVENTS: wanted } = this.#environment;
      if (!wanted.includes("*") && !wanted.includes(type)) return;
      store.saveDelivery({ event: event.id, body: JSON.stringify(event, null, 2), attempts: 0, due: Date.now() });
    };
    return { store, now, emit, at: (time) => this.#effects(undefined, time) };
  }

  #wire(): Hono<StripeContext> {
    const routes = new Hono<StripeContext>();
    routes.use(async (c, next) => {
      c.set("account", this.#account);
      c.set("store", this.#store);
      await next();
    });
    routes.get("/health", (c) => c.json({ status: "ok", complaints: this.#account.complaints }));
    routes.route("/v1", api);
    routes.route("/authenticate", authentication);
    routes.route("/p", customerPortal);
    routes.route("/emails", emails);
    routes.route("/mailbox", mailbox);
    routes.route("/console", customerConsole(this.#environment.CONSOLE_WEBHOOK_SECRET));
    routes.route("/dashboard", dashboard);
    routes.route("/funnel", funnel);
    return routes;
  }
}

function planNames(env: object): Record<string, string> {
  const plans = Object.entries(env).filter(([name]) => name.startsWith("PACKAGE_ID_"));
  return Object.fromEntries(plans.map(([name, id]) => [String(id), name.slice("PACKAGE_ID_".length)]));
}
