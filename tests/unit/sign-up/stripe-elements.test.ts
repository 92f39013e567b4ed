// @vitest-environment jsdom
import { act, createElement } from "react";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { MAX_FAILED_CARDS } from "../../../app/contract/trial";
import { billingDetails } from "../../../app/signup/card/billing-details";
import StripeElements from "../../../app/signup/card/stripe-elements";
import { LOADING_LIMIT_MS } from "../../../app/signup/durations";
import { type Notice, PAYMENT_FORM_NOT_LOADED } from "../../../app/signup/notices";
import { cardStep, pass, RETURN_PATH, renderedPages } from "./rendered-page";

/* The card form, with a Stripe.js whose answers a test sets: loading, and what it says and does about a card. */

const found = (status: string) => ({ setupIntent: { status } });
const failed = (error: object) => ({ error });
const OPEN = found("requires_payment_method");
const DECLINED = failed({ type: "card_error", message: "Your card was declined." });
const silence = new Promise<object>(() => {});

/** The package keeps the first Stripe.js that it finds. */
let client: object;
const makeClient = vi.fn(() => client);
const StripeJs = Object.assign(makeClient, { version: "endive" });

interface Given {
  /** Stripe's answers about the setup in turn. The last one repeats. */
  retrieved?: object[];
  /** What Stripe says to a card. */
  answer?: object;
  /** False if the page has to load Stripe.js. */
  isLoaded?: boolean;
  /** True if `elements()` throws. */
  throws?: boolean;
}

const show = renderedPages({ isTranslated: true });
beforeEach(() => sessionStorage.clear());

async function showForm({ retrieved = [OPEN], answer = DECLINED, isLoaded = true, throws = false }: Given = {}) {
  let isBroken = throws;
  const handlers = new Map<string, (event: object) => void>();
  const on = (name: string, handler: (event: object) => void) => handlers.set(name, handler);
  const element = { on, once() {}, off() {}, mount() {}, update() {}, destroy() {} };
  const elements = () => {
    if (isBroken) throw new Error("Invalid value for elements()");
    return { create: () => element, getElement: () => null, update() {} };
  };
  const retrieveSetupIntent = vi.fn(async () => {
    const next = retrieved.length > 1 ? retrieved.shift() : retrieved[0];
    if (next instanceof Error) throw next;
    return next;
  });
  const confirmSetup = async () => (answer instanceof Error ? Promise.reject(answer) : answer);
  const others = { createToken() {}, createPaymentMethod() {}, confirmCardPayment() {} };
  client = { ...others, elements, retrieveSetupIntent, confirmSetup };
  makeClient.mockClear();
  if (isLoaded) vi.stubGlobal("Stripe", StripeJs);
  const [onNotice, onReady, onSaved] = [vi.fn<(notice?: Notice) => void>(), vi.fn(), vi.fn()];
  const page = await show(createElement(StripeElements, { data: cardStep, onNotice, onReady, onSaved }), cardStep);
  return {
    ...page,
    retrieveSetupIntent,
    onReady,
    onSaved,
    notice: () => onNotice.mock.lastCall?.[0],
    ready: () => act(async () => handlers.get("ready")?.({})),
    failToLoad: (error: object) => act(async () => handlers.get("loaderror")?.({ elementType: "payment", error })),
    script: () => document.head.querySelector("script"),
    /** From now on, Stripe.js arrives and does not throw. */
    fix() {
      isBroken = false;
      vi.stubGlobal("Stripe", StripeJs);
    },
    isPayEnabled: () => page.button("Pay")?.disabled === false,
  };
}

/** Shows the form, waits for its fields and presses Pay. */
async function pay(given: Given) {
  const form = await showForm(given);
  await form.ready();
  await form.press("Pay");
  return form;
}

const FAILED = { title: "Payment Failed", message: "An error occurred during payment" };
const UNEXPECTED = { title: "Payment Error", message: "An unexpected error occurred. Please try again." };

test.each([
  { answer: "an error with a message", given: DECLINED, says: { ...FAILED, message: "Your card was declined." } },
  { answer: "an error with an empty message", given: failed({ message: "" }), says: FAILED },
  { answer: "neither an error nor a setup", given: {}, says: FAILED },
  { answer: "an exception", given: new Error("unexpected"), says: UNEXPECTED },
])("a card that fails is reported with Stripe's message or the catalog's: $answer", async ({ given, says }) => {
  const { notice, isPayEnabled } = await pay({ answer: given });
  expect(notice()).toMatchObject(says);
  expect(isPayEnabled(), "Pay is enabled").toBe(true);
});

test.each([
  { setup: "is set up", answer: found("succeeded") },
  { setup: "is in process", answer: found("processing") },
  { setup: "was canceled", answer: found("canceled") },
  { setup: "has changed elsewhere", answer: failed({ code: "setup_intent_unexpected_state", message: "x" }) },
  { setup: "is unknown to Stripe", answer: failed({ code: "resource_missing", message: "x" }) },
  { setup: "was set up by another page", answer: failed({ message: "x", setup_intent: { status: "succeeded" } }) },
])("a card whose setup $setup leads to where the bank returns", async ({ answer }) => {
  const { place, notice } = await pay({ answer });
  expect(place()).toBe(RETURN_PATH);
  expect(notice()?.title).toBe("Processing...");
});

test.each([
  { stripe: "has no card", retrieved: [OPEN], waits: [29_999] },
  { stripe: "does not say what became of it within ten seconds", retrieved: [silence], waits: [30_000, 9_999] },
])("after 30 silent seconds a card can be sent again if Stripe $stripe, and a late success leads on", async (row) => {
  let answer = (_: object) => {};
  const late = new Promise<object>((resolve) => {
    answer = resolve;
  });
  const form = await pay({ answer: late, retrieved: row.retrieved });
  expect(form.button("Processing...")?.disabled).toBe(true);
  for (const wait of row.waits) await pass(wait);
  expect(form.notice()?.title).toBe("Processing...");
  await pass(1);
  const message = "Stripe did not answer, so your card may not be saved. Check your connection, then try again.";
  expect(form.notice()).toMatchObject({ title: "Payment Error", message });
  expect(form.isPayEnabled()).toBe(true);
  await act(async () => answer(found("succeeded")));
  expect(form.place()).toBe(RETURN_PATH);
});

test("a card is waited for while the bank asks the visitor, and leads on once Stripe has it", async () => {
  const bankAsks = Array.from({ length: 20 }, () => found("requires_action"));
  const form = await pay({ answer: silence, retrieved: [...bankAsks, found("succeeded")] });
  for (const _ of bankAsks) await pass(30_000);
  expect(form.notice()?.title).toBe("Processing...");
  expect(form.place()).not.toBe(RETURN_PATH);
  await pass(30_000);
  expect(form.place()).toBe(RETURN_PATH);
  expect(form.onSaved).toHaveBeenCalledOnce();
});

const INCOMPLETE = failed({ type: "validation_error", message: "Your card number is incomplete." });
const NOT_AUTHENTICATED = failed({ code: "setup_intent_authentication_failure", message: "x" });
const left = (cards: string) => {
  const text = `You can try at most ${cards}. We limit tries to keep stolen cards from being tested here.`;
  return { promised: { by: "ends-sign-ups", text } };
};

test("cards that Stripe declined in this tab for this sign-up count, and the last two tries are announced", async () => {
  sessionStorage.setItem("declined-cards", `seti_other ${MAX_FAILED_CARDS - 2}`);
  const untilThreeLeft = [NOT_AUTHENTICATED, DECLINED, DECLINED, DECLINED].slice(0, MAX_FAILED_CARDS - 3);
  for (const answer of [INCOMPLETE, ...untilThreeLeft])
    expect((await pay({ answer })).notice(), "with three left").toMatchObject({ promised: undefined });
  for (const cards of ["2 more cards", "1 more card"])
    expect((await pay({ answer: DECLINED })).notice()).toMatchObject(left(cards));
  expect((await pay({ answer: DECLINED })).notice(), "with none left").toMatchObject({ promised: undefined });
});

test("the last declined card is noticed 1, 3 or 8 seconds after it ended the sign-up", async () => {
  const { retrieveSetupIntent, place } = await pay({ retrieved: [OPEN, OPEN, found("canceled")] });
  const counts: number[] = [];
  for (const wait of [999, 1, 1_999, 1, 4_999]) {
    await pass(wait);
    counts.push(retrieveSetupIntent.mock.calls.length);
  }
  expect(counts, "questions after 999, 1,000, 2,999, 3,000 and 7,999 ms").toEqual([0, 1, 1, 2, 2]);
  await pass(1);
  expect(place()).toBe(RETURN_PATH);
});

test.each([
  { where: "not again, if the form's country was recognized", data: cardStep, asks: "never" },
  { where: "where it needs them, if not", data: { ...cardStep, countryCode: undefined }, asks: "auto" },
])("Stripe asks for the country and ZIP code $where", ({ data, asks }) => {
  const { elementOptions, confirmParams } = billingDetails(data);
  expect(elementOptions.fields.billingDetails.address).toEqual({ country: asks, postalCode: asks });
  expect(confirmParams.payment_method_data.billing_details?.address?.country).toBe(data.countryCode);
});

const REFUSED = { type: "invalid_request_error", message: "Stripe's words." };

test.each([
  { setup: "is set up", retrieved: found("succeeded") },
  { setup: "has a secret that Stripe.js throws for", retrieved: new Error("Invalid value for clientSecret") },
])("fields that do not load because the setup $setup lead to where the bank returns", async ({ retrieved }) => {
  const { failToLoad, place, notice } = await showForm({ retrieved: [retrieved] });
  await failToLoad(REFUSED);
  expect(place()).toBe(RETURN_PATH);
  expect(notice()).toBeUndefined();
});

type Form = Awaited<ReturnType<typeof showForm>>;
const UNLOADED = { isLoaded: false };
const scriptSays = (event: string) => (form: Form) => form.script()?.dispatchEvent(new Event(event));

test.each([
  { trouble: "Stripe.js does not load", given: UNLOADED, fail: scriptSays("error") },
  { trouble: "an extension empties Stripe.js", given: UNLOADED, fail: scriptSays("load") },
  { trouble: "Stripe.js takes too long", given: UNLOADED, after: LOADING_LIMIT_MS },
  { trouble: "Stripe.js throws", given: { throws: true } },
  { trouble: "Stripe refuses the fields", fail: (form: Form) => form.failToLoad(REFUSED), message: "Stripe's words." },
  { trouble: "an extension blocks the fields", after: LOADING_LIMIT_MS },
  { trouble: "Stripe does not say why either", given: { retrieved: [silence] }, after: LOADING_LIMIT_MS + 10_000 },
])("a card form that does not load is reported, and can be loaded again: $trouble", async (row) => {
  const { given = {}, fail, after = 0, message = PAYMENT_FORM_NOT_LOADED.message } = row;
  // React tells the console about an error that a boundary catches.
  vi.spyOn(console, "error").mockImplementation(() => {});
  const hide = (event: Event) => event.preventDefault();
  window.addEventListener("error", hide);
  onTestFinished(() => window.removeEventListener("error", hide));
  const form = await showForm(given);
  await act(async () => void (await fail?.(form)));
  if (after > 0) {
    await pass(after - 1);
    expect(form.notice()).toBeUndefined();
    await pass(1);
  }
  expect(form.notice()).toMatchObject({ title: "Payment Error", message });
  expect(form.script(), "the script that failed").toBeNull();
  expect(form.button("Pay")?.disabled).toBe(true);
  form.fix();
  await form.press("Try again");
  expect(form.notice()).toBeUndefined();
  await act(async () => form.script()?.dispatchEvent(new Event("load")));
  expect(form.isPayEnabled(), "Pay is enabled before the fields are loaded").toBe(false);
  expect(form.onReady).not.toHaveBeenCalled();
  await form.ready();
  expect(form.onReady).toHaveBeenCalledOnce();
  await pass(LOADING_LIMIT_MS);
  expect(form.notice()).toBeUndefined();
  expect(form.isPayEnabled(), "Pay is enabled").toBe(true);
  expect(makeClient).toHaveBeenCalledOnce();
});
