import { loadStripe } from "@stripe/stripe-js/pure";
import fc from "fast-check";
import { JSDOM } from "jsdom";
import Stripe from "stripe";
import { expect, test, vi } from "vitest";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { FIELD_NAMES } from "../../../app/signup/form-schema";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import { parseForm } from "../../../app/signup/server/posted-form.server";
import { fields } from "../../support/visitors/site-visitor";

const valid = new Map<string, string>(Object.entries(fields));

/** What a field may hold: what is valid, nothing, too little, or anything. */
const entry = fc.oneof(
  fc.constant("valid" as const),
  fc.constantFrom("", " ", "a", "1", "Passw0rd", "ada@", "99999-1"),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);

test("finds in the browser what the server finds, in any form, and passwords that differ in each", () => {
  const form = fc.record(Object.fromEntries(FIELD_NAMES.map((name) => [name, entry])), { requiredKeys: [] });
  fc.assert(
    fc.property(form, (entries) => {
      const posted = Object.fromEntries(
        Object.entries(entries).map(([name, value]) => [
          name,
          value === "valid" ? (valid.get(name) ?? "") : String(value),
        ]),
      );
      const data = new FormData();
      for (const [name, value] of Object.entries(posted)) data.append(name, value);
      const inBrowser = validateInBrowser(data);
      const onServer = parseForm(posted);
      expect(inBrowser.status).toBe(onServer.status);
      const differ = (posted.password ?? "") !== (posted.confirmPassword ?? "");
      expect(inBrowser.reply().error?.confirmPassword).toEqual(differ ? ["Passwords do not match"] : undefined);
      if (inBrowser.status === "success" && onServer.status === "success") {
        expect(inBrowser.value).toEqual(onServer.value);
      } else {
        expect(inBrowser.reply().error).toEqual(onServer.reply().error);
      }
    }),
    { numRuns: 300, seed: 2026 },
  );
});

test("the card step loads the same script as the installed @stripe/stripe-js", async () => {
  const { window } = new JSDOM("<!doctype html><head></head>");
  vi.stubGlobal("window", window);
  vi.stubGlobal("document", window.document);
  // Nothing loads a script here, so that the promise stays open.
  void loadStripe("pk_test_x");
  await vi.waitFor(() => expect(window.document.scripts).toHaveLength(1));
  expect(STRIPE_JS_URL).toBe(window.document.scripts[0]?.src);
  vi.unstubAllGlobals();
});

test("Stripe.js and the API's stripe package are of one release", () => {
  expect(STRIPE_JS_URL).toContain(`/${Stripe.API_VERSION.split(".")[1]}/`);
});
