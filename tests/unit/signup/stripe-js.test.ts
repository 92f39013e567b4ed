import { loadStripe } from "@stripe/stripe-js/pure";
import { JSDOM } from "jsdom";
import Stripe from "stripe";
import { expect, test, vi } from "vitest";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";

test("the card step loads the same script as the installed @stripe/stripe-js [N6]", async () => {
  const { window } = new JSDOM("<!doctype html><head></head>");
  vi.stubGlobal("window", window);
  vi.stubGlobal("document", window.document);
  // Nothing loads a script here, so that the promise stays open.
  void loadStripe("pk_test_x");
  await vi.waitFor(() => expect(window.document.scripts).toHaveLength(1));
  expect(STRIPE_JS_URL).toBe(window.document.scripts[0]?.src);
  vi.unstubAllGlobals();
});

test("Stripe.js and the API's stripe package are of one release [N6]", () => {
  expect(STRIPE_JS_URL).toContain(`/${Stripe.API_VERSION.split(".")[1]}/`);
});
