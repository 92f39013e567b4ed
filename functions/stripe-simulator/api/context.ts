import type { KeyKind } from "../authorization";
import type { Form } from "../form";
import type { Store } from "../store";
import type { EventObject, EventType } from "../webhooks";

export type StripeContext = {
  Variables: {
    /** Body and query, the body first. */
    form: Form;
    key: KeyKind;
    requestId: string;
    store: Store;
    /** Queues an event for the webhook endpoint. */
    emit: (type: EventType, object: EventObject) => void;
  };
};
