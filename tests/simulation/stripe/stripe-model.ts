import { DAY, type Scheduler, SECOND } from "../../support/api-in-process/scheduler";
import {
  type Answer,
  answer,
  centsOf,
  missing,
  monthlyPrice,
  PRICES,
  refusal,
  type StripeObject,
} from "../../support/api-in-process/stripe-objects";
import { type Event, Events } from "./events";
import { SavedAnswers } from "./idempotency-keys";
import { Trials } from "./trials";

/** No sign-up needs this many calls, whatever fails. */
const MOST_CALLS = 1_000;

/** Names the sign-up that calls Stripe in an endless loop, which otherwise would just time out. */
export class TooManyCalls extends Error {}

/** A 500 before or after the work, or a refusal of the request once its work has begun. */
export type StripeFault = "before" | "after" | "refused";

/** The parts of Stripe that the API uses, from Stripe's documentation. functions/stripe-simulator/index.ts says why it is not that one. */
export class Stripe {
  readonly objects = new Map<string, StripeObject>();
  readonly events = new Events();
  readonly trials = new Trials(this);
  readonly #answers: SavedAnswers;
  readonly #ids = new Map<string, number>();
  readonly #callsBySignUp = new Map<string, number>();
  readonly #seconds = () => Math.floor(this.scheduler.now / SECOND);

  constructor(
    readonly scheduler: Scheduler,
    readonly emit: (event: Event, about: StripeObject) => void,
  ) {
    this.#answers = new SavedAnswers(scheduler);
    for (const [id, cents] of Object.entries(PRICES)) this.objects.set(id, { ...monthlyPrice(cents, null), id });
    this.objects.set("prod_1", { ...monthlyPrice(0, null), object: "product", id: "prod_1", name: "A plan" });
  }

  get(id: string | null | undefined): StripeObject | undefined {
    return this.objects.get(id ?? "");
  }

  all(object: string, customer?: string | null): StripeObject[] {
    const isWanted = (one: StripeObject) => customer === undefined || one.customer === customer;
    return [...this.objects.values()].filter((one) => one.object === object && isWanted(one));
  }

  request(method: string, url: URL, body: string, key: string | undefined, fails?: StripeFault): Answer {
    this.#countCall(`${method} ${url.pathname}`, url, new URLSearchParams(body));
    const isPost = method === "POST";
    const fields = `${url.pathname} ${body}`;
    const saved = isPost ? this.#answers.of(key, fields) : undefined;
    if (saved) return saved;
    const given = isPost ? new URLSearchParams(body) : url.searchParams;
    const done = fails === undefined || fails === "after" ? this.#answer(method, url.pathname, given) : missing;
    const failure = fails === "refused" ? refusal(400, "") : refusal(500, "api_error", "api_error");
    const reply = fails ? failure : done;
    if (isPost) this.#answers.save(key, fields, reply);
    return reply;
  }

  /** Confirms a setup intent as Stripe.js does. */
  confirm(setupIntent: string, fingerprint: string, declined: boolean): "succeeded" | "declined" | "gone" {
    const intent = this.get(setupIntent);
    if (!intent || intent.status === "canceled") return "gone";
    if (this.get(intent.customer)?.deleted) {
      // The bank's answer comes too late for the card, but the setup intent is not processing any more.
      if (intent.status === "processing") intent.status = "requires_payment_method";
      return "gone";
    }
    if (intent.status === "succeeded") return "succeeded";
    if (declined) intent.status = "requires_payment_method";
    else {
      const card = { fingerprint, brand: "visa", last4: "4242" };
      const { id } = this.#add("payment_method", intent.customer, intent.metadata, { card });
      Object.assign(intent, { status: "succeeded", payment_method: id });
    }
    this.tell(declined ? "setup_intent.setup_failed" : "setup_intent.succeeded", intent);
    return declined ? "declined" : "succeeded";
  }

  /** Sets the status, which may stay the same, and emits an event. */
  become(subscription: StripeObject, status: string): void {
    const { id, status: was, customer, metadata } = subscription;
    if (was === "canceled") return;
    subscription.status = status;
    if (status === "active" && was !== status) {
      const cents = centsOf(subscription);
      Object.assign(subscription, { latest_invoice: { amount_due: cents } });
      const parent = { subscription_details: { subscription: id } };
      this.#add("invoice", customer, metadata, { status: "paid", amount_paid: cents, parent });
    }
    this.tell(`customer.subscription.${status === "canceled" ? "deleted" : "updated"}`, subscription);
  }

  #countCall(call: string, url: URL, fields: URLSearchParams): void {
    const named = [...url.pathname.split("/"), url.searchParams.get("customer"), fields.get("customer")];
    const [known] = named.flatMap((id) => this.get(id)?.metadata.sign_up_id ?? []);
    const signUp = known ?? fields.get("metadata[sign_up_id]");
    if (signUp === null) return;
    const calls = (this.#callsBySignUp.get(signUp) ?? 0) + 1;
    this.#callsBySignUp.set(signUp, calls);
    if (calls > MOST_CALLS) throw new TooManyCalls(`The sign-up ${signUp} asks Stripe endlessly, now ${call}`);
  }

  #answer(method: string, path: string, fields: URLSearchParams): Answer {
    const [, , kind = "", name = "", action = ""] = path.split("/");
    if (name === "create_preview") {
      const subscription = this.get(fields.get("subscription"));
      if (!subscription) return missing;
      const cents = centsOf(subscription);
      return answer(200, { amount_due: cents, currency: "usd", subtotal: cents, total: cents });
    }
    if (kind === "events") return this.events.list(fields);
    const id = name === "search" ? "" : name;
    const [one, owner] = [this.get(id), this.get(fields.get("customer"))];
    if ((id !== "" && !one) || owner?.deleted || (one?.deleted && method !== "GET")) return missing;
    const expand = [...fields.values()].join();
    if (method === "GET" && one) return answer(200, this.#shown(one, expand));
    if (method === "GET") {
      const isListed = ({ deleted, created, email = "", lookup_key, parent }: StripeObject) =>
        !deleted &&
        (name !== "search" || fields.get("query")?.toLowerCase() === `email:"${email.toLowerCase()}"`) &&
        (!fields.has("lookup_keys[0]") || fields.get("lookup_keys[0]") === lookup_key) &&
        (!fields.has("email") || fields.get("email") === email) &&
        created >= Number(fields.get("created[gte]") ?? 0) &&
        (!fields.has("subscription") || fields.get("subscription") === parent?.subscription_details.subscription);
      const listed = this.all(kind.slice(0, -1), owner?.id).filter(isListed).reverse();
      return answer(200, { data: listed.map((each) => this.#shown(each, expand)), has_more: false });
    }
    const what = `${method} ${kind} ${action}`.trim();
    const changed = one ? this.#change(what, one, fields) : this.#make(kind, owner, fields);
    if (typeof changed !== "string") return answer(200, changed);
    const [code = "", param] = changed.split(": ");
    return refusal(code === "resource_missing" ? 404 : 400, code, undefined, param);
  }

  /** @returns the object or an error code, which may name a parameter */
  #make(kind: string, owner: StripeObject | undefined, fields: URLSearchParams): StripeObject | string {
    // The fields are named `metadata[name]`.
    const metadata = Object.fromEntries([...fields].map(([name, value]) => [name.slice(9, -1), value]));
    if (kind === "customers") {
      const invoice_settings = { default_payment_method: null };
      const made = this.#add("customer", null, metadata, { email: fields.get("email") ?? "", invoice_settings });
      this.tell("customer.created", made);
      return made;
    }
    if (kind === "products") return this.#add("product", null, {}, { name: fields.get("name") ?? "" });
    if (kind === "prices") {
      const lookupKey = fields.get("lookup_key");
      for (const one of this.all("price")) if (one.lookup_key === lookupKey) one.lookup_key = null;
      const product = fields.get("product") ?? undefined;
      const price = this.#add("price", null, {}, monthlyPrice(Number(fields.get("unit_amount")), lookupKey, product));
      // The lookup key goes to the next price; the package stays.
      return Object.assign(price, { metadata: { package_id: lookupKey } });
    }
    if (!owner) return "resource_missing";
    if (kind === "setup_intents") {
      const empty = { status: "requires_payment_method", payment_method: null };
      const intent = this.#add("setup_intent", owner.id, metadata, empty);
      return Object.assign(intent, { client_secret: `${intent.id}_secret_1` });
    }
    if (kind !== "subscriptions") throw new Error(`The model of Stripe makes no ${kind}`);
    const price = this.get(fields.get("items[0][price]"));
    if (!price) return "resource_missing: items[0][price]";
    if (!price.active) return "price_inactive: items[0][price]";
    const made = this.#add("subscription", owner.id, metadata, {
      status: "trialing",
      trial_end: this.#seconds() + (Number(fields.get("trial_period_days") ?? 0) * DAY) / SECOND,
      items: { data: [{ price, quantity: 1 }] },
      cancel_at_period_end: false,
      latest_invoice: { amount_due: 0 },
    });
    this.tell("customer.subscription.created", made);
    this.trials.planEnd(made);
    return made;
  }

  /** @returns the object or an error code */
  #change(what: string, one: StripeObject, fields: URLSearchParams): StripeObject | string {
    const settings = this.get(one.customer)?.invoice_settings;
    switch (what) {
      case "POST customers": {
        const card = fields.get("invoice_settings[default_payment_method]");
        if (this.get(card)?.customer !== one.id) return "resource_missing";
        if (fields.has("metadata[had_trial]")) one.metadata = { ...one.metadata, had_trial: "true" };
        return Object.assign(one, { invoice_settings: { default_payment_method: card } });
      }
      case "POST products":
        return Object.assign(one, { name: fields.get("name") });
      case "DELETE customers":
        for (const made of this.all("subscription", one.id)) this.become(made, "canceled");
        for (const card of this.all("payment_method", one.id)) card.customer = null;
        return Object.assign(one, { deleted: true });
      case "POST setup_intents cancel":
        if (one.status !== "requires_payment_method") return "setup_intent_unexpected_state";
        return Object.assign(one, { status: "canceled", canceled_at: this.scheduler.now });
      case "POST payment_methods detach":
        if (!settings) return "payment_method_unexpected_state";
        if (settings.default_payment_method === one.id) settings.default_payment_method = null;
        return Object.assign(one, { customer: null });
      case "DELETE subscriptions":
        if (one.status === "canceled") return "resource_missing";
        Object.assign(one, { cancellation_details: { comment: fields.get("cancellation_details[comment]") } });
        this.become(one, "canceled");
        return one;
    }
    throw new Error(`The model of Stripe has no ${what}`);
  }

  /** @param expand names of the fields that show an object instead of its ID */
  #shown(object: StripeObject, expand: string): object {
    const { payment_method, customer, invoice_settings, product } = object;
    const owner = expand.includes("customer.") ? this.get(customer) : undefined;
    const card = expand.includes("invoice_settings") ? invoice_settings?.default_payment_method : undefined;
    return {
      ...object,
      ...(payment_method && expand.includes("payment_method") && { payment_method: this.get(payment_method) }),
      ...(product && expand.includes("product") && { product: this.get(product) }),
      ...(owner && { customer: this.#shown(owner, "invoice_settings") }),
      ...(card && { invoice_settings: { default_payment_method: this.get(card) } }),
    };
  }

  tell(type: string, about: StripeObject): void {
    const id = this.#id("evt", this.get(about.customer)?.metadata ?? about.metadata);
    const event = { id, type, created: this.#seconds(), data: { object: { ...about } } };
    this.events.add(event);
    this.emit(event, about);
  }

  #add(object: string, customer: string | null, metadata: StripeObject["metadata"], fields: object): StripeObject {
    const id = this.#id(object === "setup_intent" ? "seti" : object, this.get(customer)?.metadata ?? metadata);
    const made: StripeObject = { id, object, created: this.#seconds(), customer, metadata, ...fields };
    this.objects.set(id, made);
    return made;
  }

  /** IDs do not depend on other sign-ups. */
  #id(kind: string, { sign_up_id = "" }: Record<string, string>): string {
    const name = `${kind}_${sign_up_id.slice(0, 8)}`;
    this.#ids.set(name, (this.#ids.get(name) ?? 0) + 1);
    return `${name}${this.#ids.get(name)}`;
  }
}
