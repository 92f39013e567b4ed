import type {
  StripeError,
  StripePaymentElementAvailablePaymentMethodsChangeEvent,
  StripePaymentElementCardDetailsChangeEvent,
  StripePaymentElementChangeEvent,
  StripePaymentElementSavedPaymentMethodRemoveEvent,
  StripePaymentElementSavedPaymentMethodUpdateEvent,
} from "@stripe/stripe-js";

type Plain = { elementType: "payment" };

/** The last four are of saved cards and other payment methods, which the simulator does not show. */
export type Events = Record<"ready" | "focus" | "blur" | "escape" | "loaderstart", Plain> & {
  loaderror: Plain & { error: StripeError };
  change: StripePaymentElementChangeEvent;
  carddetailschange: StripePaymentElementCardDetailsChangeEvent;
  savedpaymentmethodupdate: StripePaymentElementSavedPaymentMethodUpdateEvent;
  savedpaymentmethodremove: StripePaymentElementSavedPaymentMethodRemoveEvent;
  availablepaymentmethodschange: StripePaymentElementAvailablePaymentMethodsChangeEvent;
};

type Handlers = { [T in keyof Events]?: Set<(event: Events[T]) => unknown> };

/** Who listens to an Element. */
export class ElementEvents {
  #handlers: Handlers = {};

  on<T extends keyof Events>(type: T, handler: (event: Events[T]) => unknown): this {
    this.#handlers = { ...this.#handlers, [type]: new Set([...(this.#handlers[type] ?? []), handler]) };
    return this;
  }

  once<T extends keyof Events>(type: T, handler: (event: Events[T]) => unknown): this {
    const first = (event: Events[T]) => {
      this.off(type, first);
      handler(event);
    };
    return this.on(type, first);
  }

  off<T extends keyof Events>(type: T, handler?: (event: Events[T]) => unknown): this {
    if (handler) this.#handlers[type]?.delete(handler);
    else this.#handlers[type]?.clear();
    return this;
  }

  protected emit<T extends keyof Events>(type: T, event: Events[T]): void {
    for (const handler of [...(this.#handlers[type] ?? [])]) handler(event);
  }
}
