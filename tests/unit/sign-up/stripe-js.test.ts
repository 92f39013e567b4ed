// @vitest-environment jsdom
import { act } from "react";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LOADING_LIMIT_MS } from "../../../app/signup/durations";
import { cardStep, pass, RETURN_PATH } from "./rendered-page";
import { cardForms, found, makeClient, StripeJs } from "./shown-stripe-elements";

/* Stripe.js and its fields: loading, refusal and another try. */

const showForm = cardForms();

const NOT_LOADED =
  "The payment form could not be loaded. Check your connection, turn off any browser extension that blocks Stripe, then try again.";

describe("fields that Stripe does not load", () => {
  const REFUSED = { type: "invalid_request_error", message: "Stripe's words." };

  test.each([
    { name: "is set up", retrieved: found("succeeded") },
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
    expect(isPayEnabled(), "Pay is enabled").toBe(false);
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
    expect(isPayEnabled(), "Pay is enabled").toBe(true);
  });

  test("within the limit, because an extension blocks their frame, are reported and can be mounted again", async () => {
    const { notice, press, ready, isPayEnabled } = await showForm();
    await pass(LOADING_LIMIT_MS - 1);
    expect(notice()).toBeUndefined();
    await pass(1);
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
    await press("Try again");
    await ready();
    await pass(LOADING_LIMIT_MS);
    expect(notice()).toBeUndefined();
    expect(isPayEnabled(), "Pay is enabled").toBe(true);
  });

  test("within the limit are reported even if Stripe does not say either why", async () => {
    const { notice, button } = await showForm({ retrieved: [new Promise(() => {})] });
    await pass(LOADING_LIMIT_MS);
    await pass(9_999);
    expect(notice()).toBeUndefined();
    await pass(1);
    expect(notice()).toMatchObject({ title: "Payment Error", message: NOT_LOADED });
    expect(button("Try again")).toBeDefined();
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
    expect(isPayEnabled(), "Pay is enabled").toBe(false);
  });
});

describe("Stripe.js", () => {
  test.each<{ name: string; fail(script: HTMLScriptElement | null): void }>([
    { name: "does not load", fail: (script) => script?.dispatchEvent(new Event("error")) },
    { name: "takes too long", fail: () => void vi.advanceTimersByTime(LOADING_LIMIT_MS) },
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
    expect(isPayEnabled(), "Pay is enabled").toBe(true);
  });
});
