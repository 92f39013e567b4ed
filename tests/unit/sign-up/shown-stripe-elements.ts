import { act, createElement } from "react";
import { beforeEach, vi } from "vitest";
import StripeElements from "../../../app/signup/card/stripe-elements";
import type { Notice } from "../../../app/signup/notices";
import type { CardStepData } from "../../../app/signup/steps";
import { cardStep, renderedPages } from "./rendered-page";

/* The card form, with a Stripe.js whose answers a test sets. */

export const found = (status: string) => ({ setupIntent: { status } });
export const failed = (error: object) => ({ error });
export const OPEN = found("requires_payment_method");
export const DECLINED = failed({ type: "card_error", message: "Your card was declined." });

/** The package keeps the first Stripe.js that it finds. */
let client: object;
export const makeClient = vi.fn(() => client);
export const StripeJs = Object.assign(makeClient, { version: "endive" });

export interface Given {
  data?: CardStepData;
  /** Stripe's answers about the setup, one after the other. The last one repeats. */
  retrieved?: object[];
  /** What Stripe says to a card. */
  answer?: object;
  /** Is thrown by `elements()`. */
  refusal?: Error;
  isLoaded?: boolean;
}

/** For one test file. Returns a function that shows the card form. */
export function cardForms() {
  const show = renderedPages();
  beforeEach(() => sessionStorage.clear());
  return async function showForm({
    data = cardStep,
    retrieved = [OPEN],
    answer = DECLINED,
    refusal,
    isLoaded = true,
  }: Given = {}) {
    const handlers = new Map<string, (event: object) => void>();
    const on = (name: string, handler: (event: object) => void) => handlers.set(name, handler);
    const element = { on, once() {}, off() {}, mount() {}, update() {}, destroy() {} };
    const create = vi.fn(() => element);
    const elements = vi.fn(() => {
      if (refusal) throw refusal;
      return { create, getElement: () => null, update() {} };
    });
    const retrieveSetupIntent = vi.fn(async () => {
      const next = retrieved.length > 1 ? retrieved.shift() : retrieved[0];
      if (next instanceof Error) throw next;
      return next;
    });
    const confirmSetup = vi.fn(async () => (answer instanceof Error ? Promise.reject(answer) : answer));
    const others = { createToken() {}, createPaymentMethod() {}, confirmCardPayment() {} };
    client = { ...others, elements, retrieveSetupIntent, confirmSetup };
    makeClient.mockClear();
    if (isLoaded) vi.stubGlobal("Stripe", StripeJs);
    const [onNotice, onReady, onSaved] = [vi.fn<(notice?: Notice) => void>(), vi.fn(), vi.fn()];
    const page = await show(createElement(StripeElements, { data, onNotice, onReady, onSaved }), data);
    return {
      ...page,
      create,
      elements,
      retrieveSetupIntent,
      confirmSetup,
      onReady,
      onSaved,
      /** The latest notice. */
      notice: () => onNotice.mock.lastCall?.[0],
      ready: () => act(async () => handlers.get("ready")?.({})),
      failToLoad: (error: object) => act(async () => handlers.get("loaderror")?.({ elementType: "payment", error })),
      script: () => document.head.querySelector("script"),
      isPayEnabled: () => page.button("Pay")?.disabled === false,
    };
  };
}
