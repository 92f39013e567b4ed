import type Stripe from "stripe";
import type { Parameters } from "../../stripe-schema/generated/operations";
import type { Store } from "../store/store";
import type { Emit } from "../webhooks/events";
import type { KeyKind } from "./authorization";

/** What a change of an object needs: where it is kept, the time for a customer, and how the world is told. */
export type Effects = {
  store: Store;
  /** Seconds since 1970: on the customer's clock, else on the account's. */
  now: (customer?: string | null) => number;
  emit: Emit;
  /** The same at another time, by no request. */
  at: (time: number) => Effects;
};

/** The call that an operation answers, beside its parameters. */
export type Call = Effects & {
  /** From the path. */
  id: string;
  key: KeyKind;
  /** What Stripe.js sends and no server may. */
  clientSecret: string | undefined;
  card: Stripe.PaymentMethodCreateParams | undefined;
  /** Where the simulator is. */
  origin: string;
  endpoint: { url: string; events: string[] };
};

export type Operation = keyof Parameters;

/** An operation: takes checked parameters, gives the answer's body, throws StripeFailure. */
export type Handler<O extends Operation> = (given: Parameters[O], call: Call) => object;

/** Every operation that changes something; of the others those that `read` does not answer. */
export type Handlers = { [O in Exclude<Operation, `GET ${string}`>]: Handler<O> } & {
  [O in Operation]?: Handler<O>;
};

/** The account in which a request is. */
export type Account = {
  store: Store;
  /** Requests that no account of Stripe's would take, and faults of the simulator, since it runs. */
  complaints: string[];
  endpoint: Call["endpoint"];
  effects: (request?: { id: string; idempotencyKey: string | null }) => Effects;
};

export type StripeContext = { Variables: { account: Account; store: Store; requestId: string } };
