import type Stripe from "stripe";
import type { Parameters } from "../schema/generated/operation-parameters";
import type { Store } from "../store/store";
import type { Emit } from "../webhooks/new-event";
import type { KeyKind } from "./authorization";

export type Effects = {
  store: Store;
  /** Seconds since 1970: on the customer's clock, else on the account's. */
  now: (customer?: string | null) => number;
  emit: Emit;
  at: (time: number) => Effects;
};

export type Call = Effects & {
  id: string;
  key: KeyKind;
  clientSecret: string | undefined;
  card: Stripe.PaymentMethodCreateParams | undefined;
  origin: string;
  endpoint: { url: string; events: string[] };
};

export type Operation = keyof Parameters;

/** Takes checked parameters, gives the answer's body, throws StripeFailure. */
export type Handler<O extends Operation> = (given: Parameters[O], call: Call) => object;

/** All writes, and the reads not handled by `read`. */
export type Handlers = { [O in Exclude<Operation, `GET ${string}`>]: Handler<O> } & {
  [O in Operation]?: Handler<O>;
};

export type Account = {
  store: Store;
  /** Misused operations and the simulator's own faults since its start. */
  complaints: string[];
  endpoint: Call["endpoint"];
  planNames: Record<string, string>;
  effects: (request?: { id: string; idempotencyKey: string | null }) => Effects;
};

export type StripeContext = { Variables: { account: Account; store: Store; requestId: string } };
