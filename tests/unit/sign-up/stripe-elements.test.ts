// @vitest-environment jsdom
import { act } from "react";
import { describe, expect, test } from "vitest";
import { MAX_FAILED_CARDS } from "../../../app/contract/trial";
import { billingDetails } from "../../../app/signup/card/billing-details";
import { cardStep, pass, RETURN_PATH } from "./rendered-page";
import { cardForms, DECLINED, failed, found, type Given, OPEN } from "./shown-stripe-elements";

/* The card form: what it says and does before, while and after a card is entered. */

const showForm = cardForms();

/** Shows the form, waits for its fields and presses Pay. */
async function pay(given: Given) {
  const form = await showForm(given);
  await form.ready();
  await form.press("Pay");
  return form;
}

describe("before a card is entered,", () => {
  test("the fields are mounted at once", async () => {
    const { create, retrieveSetupIntent } = await showForm();
    expect(create).toHaveBeenCalledOnce();
    expect(retrieveSetupIntent).not.toHaveBeenCalled();
  });

  test("Pay is disabled until the fields are loaded", async () => {
    const { ready, isPayEnabled, button, onReady } = await showForm();
    expect(button("Pay")).toBeDefined();
    expect(isPayEnabled(), "Pay is enabled").toBe(false);
    expect(onReady).not.toHaveBeenCalled();
    await ready();
    expect(isPayEnabled(), "Pay is enabled").toBe(true);
    expect(onReady).toHaveBeenCalledOnce();
  });
});

describe("a card", () => {
  test("that is still being processed says so", async () => {
    const form = await showForm({ answer: new Promise(() => {}) });
    await form.ready();
    await form.press("Pay");
    expect(form.button("Processing...")?.disabled).toBe(true);
    expect(form.notice()?.title).toBe("Processing...");
  });

  test.each(["card_error", "api_connection_error"])(
    "that fails is reported with Stripe's message: %s",
    async (type) => {
      const { notice, place } = await pay({ answer: failed({ type, message: "Stripe's words." }) });
      expect(notice()).toMatchObject({ title: "Payment Failed", message: "Stripe's words." });
      expect(place()).not.toBe(RETURN_PATH);
    },
  );

  test.each([
    { name: "an error without a message", answer: failed({ type: "api_error" }) },
    { name: "an error with an empty message", answer: failed({ type: "api_error", message: "" }) },
    { name: "neither error nor setup", answer: {} },
  ])("that fails without a message from Stripe has the catalog's: $name", async ({ answer }) => {
    expect((await pay({ answer })).notice()).toMatchObject({
      title: "Payment Failed",
      message: "An error occurred during payment",
    });
  });

  test("whose confirmation throws is an unexpected error", async () => {
    const { notice } = await pay({ answer: new Error("unexpected") });
    expect(notice()).toMatchObject({
      title: "Payment Error",
      message: "An unexpected error occurred. Please try again.",
    });
  });

  test.each([
    { name: "is set up", answer: found("succeeded") },
    { name: "is in process", answer: found("processing") },
    { name: "was canceled", answer: found("canceled") },
    { name: "has changed elsewhere", answer: failed({ code: "setup_intent_unexpected_state", message: "x" }) },
    { name: "is unknown to Stripe", answer: failed({ code: "resource_missing", message: "x" }) },
    { name: "was set up by another page", answer: failed({ message: "x", setup_intent: { status: "succeeded" } }) },
  ])("whose setup $name leads to where the bank returns", async ({ answer }) => {
    const { place, notice } = await pay({ answer });
    expect(place()).toBe(RETURN_PATH);
    expect(notice()?.title).toBe("Processing...");
  });
});

describe("a card about which Stripe says nothing for 30 seconds", () => {
  const silent = (retrieved: object[]) => pay({ answer: new Promise(() => {}), retrieved });

  test.each([
    { name: "Stripe has no card", retrieved: OPEN },
    { name: "Stripe cannot be reached", retrieved: failed({ type: "api_connection_error", message: "x" }) },
  ])("can be sent again if $name", async ({ retrieved }) => {
    const form = await silent([retrieved]);
    await pass(29_999);
    expect(form.notice()?.title).toBe("Processing...");
    await pass(1);
    expect(form.notice()).toMatchObject({
      title: "Payment Error",
      message: "Stripe did not answer, so your card may not be saved. Check your connection, then try again.",
    });
    expect(form.isPayEnabled()).toBe(true);
  });

  test("can be sent again if Stripe does not say what became of it either", async () => {
    const form = await silent([new Promise(() => {})]);
    await pass(30_000);
    await pass(10_000);
    expect(form.isPayEnabled()).toBe(true);
  });

  test("leads on if Stripe has it", async () => {
    const form = await silent([found("succeeded")]);
    await pass(30_000);
    expect(form.place()).toBe(RETURN_PATH);
    expect(form.onSaved).toHaveBeenCalledOnce();
  });

  test("leads on if Stripe answers later that it has it", async () => {
    let answer = (_: object) => {};
    const late = new Promise<object>((resolve) => {
      answer = resolve;
    });
    const form = await pay({ answer: late });
    await pass(30_000);
    expect(form.notice()?.title).toBe("Payment Error");
    await act(async () => answer(found("succeeded")));
    expect(form.place()).toBe(RETURN_PATH);
  });

  test("is waited for while the bank asks the visitor", async () => {
    const form = await silent([found("requires_action")]);
    for (let minutes = 0; minutes < 10; minutes += 0.5) await pass(30_000);
    expect(form.notice()?.title).toBe("Processing...");
  });
});

describe("of a sign-up's declined cards", () => {
  const INCOMPLETE = failed({ type: "validation_error", message: "Your card number is incomplete." });
  const NOT_AUTHENTICATED = failed({
    type: "invalid_request_error",
    code: "setup_intent_authentication_failure",
    message: "We are unable to authenticate your payment method.",
  });

  const TWO_LEFT = expect.stringMatching(/^You can try at most 2 more cards\./);

  /** The notice about a card that Stripe answers so, when two more would be left after it. */
  async function noticeWithTwoLeft(answer: object) {
    for (let declined = 0; declined < MAX_FAILED_CARDS - 3; declined += 1) await pay({ answer: DECLINED });
    return (await pay({ answer })).notice();
  }

  test("a card that leaves two more says so", async () => {
    expect(await noticeWithTwoLeft(DECLINED)).toMatchObject({ hint: TWO_LEFT });
  });

  test("a card that the bank did not authenticate counts", async () => {
    expect(await noticeWithTwoLeft(NOT_AUTHENTICATED)).toMatchObject({ hint: TWO_LEFT });
  });

  test("an incomplete card does not count", async () => {
    expect(await noticeWithTwoLeft(INCOMPLETE)).toMatchObject({ hint: undefined });
    expect((await pay({ answer: DECLINED })).notice()).toMatchObject({ hint: TWO_LEFT });
  });

  test("another sign-up's cards do not count", async () => {
    sessionStorage.setItem("declined-cards", `seti_other ${MAX_FAILED_CARDS - 2}`);
    for (let declined = 0; declined < MAX_FAILED_CARDS - 3; declined += 1) await pay({ answer: DECLINED });
    expect((await pay({ answer: DECLINED })).notice()).toMatchObject({ hint: TWO_LEFT });
  });

  test("the last card is noticed 1, 3 or 8 seconds after it ended the sign-up", async () => {
    const retrieved = [OPEN, OPEN, found("canceled")];
    const { retrieveSetupIntent, place } = await pay({ retrieved });
    const counts: number[] = [];
    for (const wait of [999, 1, 1_999, 1, 4_999]) {
      await pass(wait);
      counts.push(retrieveSetupIntent.mock.calls.length);
    }
    expect(counts, "questions after 999, 1,000, 2,999, 3,000 and 7,999 ms").toEqual([0, 1, 1, 2, 2]);
    await pass(1);
    expect(place()).toBe(RETURN_PATH);
  });
});

describe("Stripe asks for the country and ZIP code", () => {
  const asked = ({ elementOptions }: ReturnType<typeof billingDetails>) => elementOptions.fields.billingDetails.address;

  test("not again, if the form's country was recognized", () => {
    expect(asked(billingDetails(cardStep))).toEqual({ country: "never", postalCode: "never" });
  });

  test("where it needs them, if the form's country was not recognized", () => {
    const unrecognized = billingDetails({ ...cardStep, countryCode: undefined });
    expect(asked(unrecognized)).toEqual({ country: "auto", postalCode: "auto" });
    expect(unrecognized.confirmParams.payment_method_data.billing_details?.address).not.toHaveProperty("country");
  });
});
