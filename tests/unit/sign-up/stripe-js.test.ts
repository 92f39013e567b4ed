// @vitest-environment jsdom
import { act, createElement } from "react";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import CardForm from "../../../app/signup/card/card-form";
import type { Notice } from "../../../app/signup/notices";
import type { CardStepData } from "../../../app/signup/steps";
import { cardStep, pass, RETURN_PATH, renderedPages } from "./rendered-page";

/* Stripe.js and its fields: loading, refusal and another try. */

const show = renderedPages();
beforeEach(() => sessionStorage.clear());

const found = (status: string) => ({ setupIntent: { status } });
const failed = (error: object) => ({ error });
const OPEN = found("requires_payment_method");
const DECLINED = failed({ type: "card_error", message: "Your card was declined." });

/** The package keeps the first Stripe.js that it finds. */
let client: object;
const makeClient = vi.fn(() => client);
const StripeJs = Object.assign(makeClient, { version: "endive" });

interface Given {
  data?: CardStepData;
  /** Stripe's answers about the setup, one after the other. The last one repeats. */
  retrieved?: object[];
  /** What Stripe says to a card. */
  answer?: object;
  /** Is thrown by `elements()`. */
  refusal?: Error;
  isLoaded?: boolean;
}

async function showForm({
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
  const [onNotice, onReady] = [vi.fn<(notice?: Notice) => void>(), vi.fn()];
  const page = await show(createElement(CardForm, { data, onNotice, onReady }), data);
  return {
    ...page,
    create,
    elements,
    retrieveSetupIntent,
    confirmSetup,
    onReady,
    /** The latest notice. */
    notice: () => onNotice.mock.lastCall?.[0],
    ready: () => act(async () => handlers.get("ready")?.({})),
    failToLoad: (error: object) => act(async () => handlers.get("loaderror")?.({ elementType: "payment", error })),
    script: () => document.head.querySelector("script"),
    isPayEnabled: () => page.button("Pay")?.disabled === false,
  };
}

const NOT_LOADED =
  "The payment form could not be loaded. Check your connection, turn off any browser extension that blocks Stripe, then try again.";

describe("fields that Stripe does not load", () => {
  const REFUSED = { type: "invalid_request_error", message: "Stripe's words." };

  test.each([
    { name: "is set up", retrieved: found("succeeded") },
    { name: "is in process", retrieved: found("processing") },
    { name: "was canceled", retrieved: found("canceled") },
    { name: "is unknown to Stripe", retrieved: failed({ code: "resource_missing", message: "x" }) },
    { name: "has a secret that Stripe.js throws for", retrieved: new Error("Invalid value for clientSecret") },
  ])("because the setup $name lead to where the bank returns", async ({ retrieved }) => {
    const { failToLoad, place, notice } = await showForm({ retrieved: [retrieved] });
    await failToLoad(REFUSED);
    expect(place()).toBe(RETURN_PATH);
    expect(notice()).toBeUndefined();
  });

  test("for another reason are not reported as a failed payment, and keep the Pay button", async () => {
    const { failToLoad, place, notice, button, isPayEnabled } = await showForm();
    await failToLoad(REFUSED);
    expect(notice()).toMatchObject({ title: "Payment Error", message: "Stripe's words." });
    expect(place()).not.toBe(RETURN_PATH);
    expect(button("Pay")).toBeDefined();
    expect(isPayEnabled()).toBe(false);
  });

  test("without a message from Stripe show our own", async () => {
    const { failToLoad, notice } = await showForm();
    await failToLoad({ type: "api_error" });
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
  });

  test("are mounted again with the same client, and take a card", async () => {
    const { failToLoad, press, notice, elements, ready, isPayEnabled } = await showForm();
    await failToLoad(REFUSED);
    await press("Try again");
    expect(notice()).toBeUndefined();
    expect(elements).toHaveBeenCalledTimes(2);
    expect(makeClient).toHaveBeenCalledTimes(1);
    await ready();
    expect(isPayEnabled()).toBe(true);
  });

  test("within 15 seconds, because an extension blocks their frame, are reported and can be mounted again", async () => {
    const { notice, press, ready, isPayEnabled } = await showForm();
    await pass(14_999);
    expect(notice()).toBeUndefined();
    await pass(1);
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
    await press("Try again");
    await ready();
    await pass(15_000);
    expect(notice()).toBeUndefined();
    expect(isPayEnabled()).toBe(true);
  });

  test("because Stripe.js throws are reported like others", async () => {
    // React tells the console about an error that a boundary catches.
    vi.spyOn(console, "error").mockImplementation(() => {});
    const silence = (event: Event) => event.preventDefault();
    window.addEventListener("error", silence);
    onTestFinished(() => window.removeEventListener("error", silence));
    const { notice, button, isPayEnabled } = await showForm({ refusal: new Error("Invalid value for elements()") });
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
    expect(button("Try again")).toBeDefined();
    expect(isPayEnabled()).toBe(false);
  });
});

describe("Stripe.js", () => {
  test.each<{ name: string; fail(script: HTMLScriptElement | null): void }>([
    { name: "does not load", fail: (script) => script?.dispatchEvent(new Event("error")) },
    { name: "takes 15 seconds", fail: () => void vi.advanceTimersByTime(15_000) },
    { name: "an extension empties", fail: (script) => script?.dispatchEvent(new Event("load")) },
  ])("that $name can be loaded again", async ({ fail }) => {
    const { script, notice, press, ready, isPayEnabled, button } = await showForm({ isLoaded: false });
    expect(script()?.src).toBe(cardStep.stripeJsUrl);
    await act(async () => fail(script()));
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
    expect(script()).toBeNull();
    expect(button("Pay")?.disabled).toBe(true);
    await press("Try again");
    vi.stubGlobal("Stripe", StripeJs);
    await act(async () => script()?.dispatchEvent(new Event("load")));
    await ready();
    expect(isPayEnabled()).toBe(true);
  });
});
