import { createHmac } from "node:crypto";
import type { Scheduler } from "./scheduler";
import {
  type Answer,
  type Customer,
  customerObject,
  type Event,
  error,
  intentObject,
  list,
  type Method,
  missing,
  ok,
  type SetupIntent,
  type Subscription,
  subscriptionObject,
} from "./stripe-objects";

const DAY = 24 * 60 * 60_000;
const FORGETS_KEYS_AFTER = DAY;

/** What the API sees of Stripe, as its documentation has it. Amounts and cards are what the simulation needs of them. */
export class Stripe {
  readonly customers = new Map<string, Customer>();
  readonly setupIntents = new Map<string, SetupIntent>();
  readonly methods = new Map<string, Method>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly charges: Subscription[] = [];
  readonly #answers = new Map<string, { at: number; fields: string; answer: Answer }>();
  readonly #ids = new Map<string, number>();

  /** @param tell is given each event; @param began each subscription */
  constructor(
    readonly scheduler: Scheduler,
    readonly tell: (event: Event) => void,
    readonly began: (subscription: Subscription, customer: Customer) => void,
  ) {}

  /** A request under an idempotency key has one answer for 24 hours, a 500 too. */
  request(method: string, url: URL, body: string, key: string | null, failure?: "500" | "500 after"): Answer {
    const fields = `${method} ${url.pathname} ${body}`;
    const kept = key === null ? undefined : this.#answers.get(key);
    if (kept && this.scheduler.now - kept.at < FORGETS_KEYS_AFTER) {
      return kept.fields === fields ? kept.answer : error(400, "idempotency_error", "idempotency_error");
    }
    const done = failure === "500" ? undefined : this.#answer(method, url, new URLSearchParams(body));
    const answer = failure || !done ? error(500, "api_error", "api_error") : done;
    if (key !== null && method === "POST") this.#answers.set(key, { at: this.scheduler.now, fields, answer });
    return answer;
  }

  /** What Stripe.js does for the visitor. */
  confirm(secret: string, fingerprint: string, declined: boolean): "succeeded" | "declined" | "gone" {
    const intent = this.setupIntents.get(secret.split("_secret_")[0] ?? "");
    const customer = intent && this.customers.get(intent.customer);
    if (!intent || customer?.deleted !== false || intent.status === "canceled") return "gone";
    if (intent.status === "succeeded") return "succeeded";
    if (!declined) {
      const card = { id: this.#id("pm", intent.metadata), fingerprint, customer: intent.customer };
      this.methods.set(card.id, card);
      Object.assign(intent, { status: "succeeded", method: card.id });
    }
    this.#event(declined ? "setup_intent.setup_failed" : "setup_intent.succeeded", intentObject(intent));
    return declined ? "declined" : "succeeded";
  }

  /** What a customer does in the portal. Returns whether there was one. */
  cancelSubscriptionsOf(setupIntent: string): boolean {
    const customer = this.setupIntents.get(setupIntent)?.customer;
    const found = [...this.subscriptions.values()].filter((one) => one.customer === customer);
    for (const one of found) this.#become(one, "canceled");
    return found.length > 0;
  }

  signed(body: string, secret: string): string {
    const seconds = Math.floor(this.scheduler.now / 1000);
    return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
  }

  #answer(method: string, { pathname, searchParams }: URL, fields: URLSearchParams): Answer {
    const [, , kind, id = "", action] = pathname.split("/");
    switch (`${method} ${kind}${id && "/:id"}${action ? `/${action}` : ""}`) {
      case "POST customers": {
        const metadata = metadataOf(fields);
        const id = this.#id("cus", metadata);
        const customer: Customer = { id, email: fields.get("email") ?? "", metadata, deleted: false, card: null };
        this.customers.set(customer.id, customer);
        return ok(customerObject(customer));
      }
      case "GET customers": {
        const email = searchParams.get("email");
        return list(
          [...this.customers.values()]
            .filter((one) => one.email === email && !one.deleted)
            .map((one) => customerObject(one)),
        );
      }
      case "GET customers/:id":
      case "POST customers/:id": {
        const customer = this.customers.get(id);
        if (!customer || (customer.deleted && method === "POST")) return missing();
        const card = fields.get("invoice_settings[default_payment_method]");
        if (card !== null) {
          if (this.methods.get(card)?.customer !== id) return error(400, "invalid_request_error", "resource_missing");
          customer.card = card;
        }
        return ok(customerObject(customer));
      }
      case "DELETE customers/:id": {
        const customer = this.customers.get(id);
        if (!customer || customer.deleted) return missing();
        customer.deleted = true;
        for (const one of this.subscriptions.values()) if (one.customer === id) this.#become(one, "canceled");
        for (const one of this.methods.values()) if (one.customer === id) one.customer = null;
        return ok({ id, object: "customer", deleted: true });
      }
      case "POST setup_intents": {
        const customer = fields.get("customer") ?? "";
        if (this.customers.get(customer)?.deleted !== false) return missing();
        const metadata = metadataOf(fields);
        const made = this.#id("seti", metadata);
        const intent = { id: made, secret: `${made}_secret_${made}`, customer, metadata, method: null };
        this.setupIntents.set(made, { ...intent, status: "requires_payment_method" });
        return this.#found(this.setupIntents.get(made));
      }
      case "GET setup_intents": {
        const customer = searchParams.get("customer");
        const found = [...this.setupIntents.values()].filter((one) => one.customer === customer);
        return list(found.reverse().map((one) => intentObject(one)));
      }
      case "GET setup_intents/:id":
        return this.#found(this.setupIntents.get(id));
      case "POST setup_intents/:id/cancel": {
        const intent = this.setupIntents.get(id);
        if (!intent) return missing();
        if (intent.status !== "requires_payment_method")
          return error(400, "invalid_request_error", "setup_intent_unexpected_state");
        intent.status = "canceled";
        return this.#found(intent);
      }
      case "GET payment_methods/:id":
      case "POST payment_methods/:id/detach": {
        const card = this.methods.get(id);
        if (!card) return missing();
        if (action === "detach") {
          if (card.customer === null) return error(400, "invalid_request_error", "payment_method_unexpected_state");
          for (const one of this.customers.values()) if (one.card === id) one.card = null;
          card.customer = null;
        }
        return ok({ id, object: "payment_method", customer: card.customer });
      }
      case "POST subscriptions": {
        const customer = this.customers.get(fields.get("customer") ?? "");
        if (!customer || customer.deleted) return missing();
        const days = Number(fields.get("trial_period_days") ?? 0);
        const trialStart = Math.floor(this.scheduler.now / 1000);
        const metadata = metadataOf(fields);
        const subscription: Subscription = {
          id: this.#id("sub", metadata),
          customer: customer.id,
          price: fields.get("items[0][price]") ?? "",
          metadata,
          status: "trialing",
          trialStart,
          trialEnd: trialStart + (days * DAY) / 1000,
        };
        this.subscriptions.set(subscription.id, subscription);
        this.began(subscription, customer);
        this.#event("customer.subscription.created", subscriptionObject(subscription));
        this.#event("customer.subscription.trial_will_end", subscriptionObject(subscription));
        this.scheduler.after(days * DAY, () => this.#endTrial(subscription));
        return ok(subscriptionObject(subscription));
      }
      case "GET subscriptions": {
        const customer = searchParams.get("customer");
        return list(
          [...this.subscriptions.values()]
            .filter((one) => one.customer === customer)
            .map((one) => subscriptionObject(one)),
        );
      }
      case "GET subscriptions/:id":
      case "DELETE subscriptions/:id": {
        const subscription = this.subscriptions.get(id);
        if (!subscription || (method === "DELETE" && subscription.status === "canceled")) return missing();
        if (method === "DELETE") this.#become(subscription, "canceled");
        return ok(
          subscriptionObject(
            subscription,
            searchParams.has("expand[0]") ? this.customers.get(subscription.customer) : undefined,
          ),
        );
      }
      default:
        throw new Error(`The model of Stripe has no ${method} ${pathname}`);
    }
  }

  #endTrial(subscription: Subscription): void {
    if (subscription.status !== "trialing") return;
    const card = this.methods.get(this.customers.get(subscription.customer)?.card ?? "");
    const pays = card?.customer === subscription.customer;
    if (pays) this.charges.push(subscription);
    this.#become(subscription, pays ? "active" : "canceled");
  }

  #become(subscription: Subscription, status: Subscription["status"]): void {
    if (subscription.status === "canceled") return;
    subscription.status = status;
    this.#event(
      `customer.subscription.${status === "canceled" ? "deleted" : "updated"}`,
      subscriptionObject(subscription),
    );
  }

  #event(type: string, object: { metadata: Record<string, string> }): void {
    const id = this.#id("evt", object.metadata);
    this.tell({ id, type, body: JSON.stringify({ id, object: "event", type, data: { object } }) });
  }

  /** Does not depend on other sign-ups, so that a history with fewer of them has the same. */
  #id(kind: string, { sign_up_id = "" }: Record<string, string>): string {
    const name = `${kind}_${sign_up_id.slice(0, 8)}`;
    this.#ids.set(name, (this.#ids.get(name) ?? 0) + 1);
    return `${name}${this.#ids.get(name)}`;
  }

  #found(intent: SetupIntent | undefined): Answer {
    return intent ? ok(intentObject(intent, this.methods.get(intent.method ?? ""))) : missing();
  }
}

function metadataOf(fields: URLSearchParams): Record<string, string> {
  const named = [...fields].map(([name, value]) => [/^metadata\[(\w+)\]$/.exec(name)?.[1], value] as const);
  return Object.fromEntries(named.filter(([name]) => name !== undefined));
}
