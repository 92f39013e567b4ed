import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router-dom";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { FormField } from "../../../app/contract/fields/form-fields";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { PLAN, stopClock } from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* A field of the form is an entry of the contract's list and, where the reference API stores it, a column. */

const FIELDS = "../../../app/contract/fields/form-fields";
const taxId: FormField = {
  label: "Tax ID",
  autoComplete: "off",
  hint: "As on your invoices.",
  rule: z.string("Tax ID is required").check(z.regex(/^[A-Z]{2}\d+$/, "Please enter a valid tax ID")),
};

const orderNumber: FormField = {
  label: "Order Number (optional)",
  autoComplete: "off",
  rule: z.optional(z.string()),
  required: false,
};

stopClock();
beforeAll(() => {
  vi.resetModules();
  vi.doMock(FIELDS, async (actual) => {
    const contract = await actual<typeof import("../../../app/contract/fields/form-fields")>();
    const billingFields = { ...contract.billingFields, taxId, orderNumber };
    return { ...contract, billingFields, formFields: { ...contract.contactFields, ...billingFields } };
  });
});
afterAll(() => {
  vi.doUnmock(FIELDS);
  vi.resetModules();
});

/** The site, and a form that a visitor opened a minute ago. */
async function openedForm() {
  const { openedForm, post } = await import("../../support/site-in-process/site-context");
  const { site, form } = await openedForm({ body: { client_secret: "seti_1_secret_1" } });
  return { site, form, post };
}

describe("a new field", () => {
  test("appears on the form with its label, hint and autocomplete value", async () => {
    const { SignupForm } = await import("../../../app/signup/form/signup-form");
    const props = { packageId: PLAN, formNonce: "a", draft: undefined, madeFrom: undefined, reply: undefined };
    const site = { packageIds: {}, salesEmail: "sales@site.example" };
    const router = createMemoryRouter(
      [
        {
          id: "root",
          path: "/",
          loader: () => site,
          element: createElement(SignupForm, { ...props, submitting: false }),
        },
      ],
      { hydrationData: { loaderData: { root: site } } },
    );
    const page = renderToString(createElement(RouterProvider, { router }));
    expect(page).toMatch(/<label for="signup-taxId">Tax ID<\/label>/);
    expect(page).toMatch(/<input(?=[^>]* name="taxId")(?=[^>]* autoComplete="off")(?=[^>]* required="")[^>]*>/i);
    expect(page).toContain("As on your invoices.");
    expect(page).toMatch(/<input(?=[^>]* name="orderNumber")(?![^>]* required)[^>]*>/i);
    expect(page).toContain("All fields are required unless marked as optional.");
  });

  test("passes the request guard, is validated, and reaches the API", async () => {
    const { POSTED_FIELDS } = await import("../../../app/signup/form-schema");
    const { readForm } = await import("../../../app/pipeline/guard/request-body.server");
    const { site, form, post } = await openedForm();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ ...form, taxId: "DE123" });
    const read = await readForm(new Request(site.contextOf("/").url, { method: "POST", headers, body }), POSTED_FIELDS);
    if (!("form" in read) || read.form === undefined) throw new Error("The guard refused the form.");
    expect((await post(site, read.form)).kept).toMatchObject({ otherFields: { taxId: "DE123" } });
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toMatchObject({ taxId: "DE123", city: fields.city });

    const { reply } = await post(site, { ...form, taxId: "123" });
    expect(reply?.form?.error).toEqual({ taxId: ["Please enter a valid tax ID"] });
    expect(reply?.form?.initialValue).toMatchObject({ taxId: "123" });
    expect((await post(site, form)).reply?.form?.error).toEqual({ taxId: ["Tax ID is required"] });
  });

  test("is filled in again when the form comes back from the session", async () => {
    const { site, form, post } = await openedForm();
    const { draftOf } = await import("../../../app/signup/server/session/draft.server");
    const { kept } = await post(site, { ...form, taxId: "DE123" });
    if (typeof kept !== "object" || kept.step !== "card") throw new Error("The form was not accepted.");
    expect(draftOf(kept)).toMatchObject({ taxId: "DE123", city: fields.city });
  });

  test("is stored in its column; without the column the API accepts no sign-up", async () => {
    const { columnsOf } = await import("../../../functions/subscription-api/sign-ups/store/field-columns");
    const { signUpsIn } = await import("../../../functions/subscription-api/sign-ups/store/sign-up-store");
    const { databaseOver } = await import("../../../functions/subscription-api/database");
    const { subscriptionRequest } = await import("../../../app/contract/subscription-request");
    const { confirmPassword: _, ...sent } = fields;
    const request = subscriptionRequest.parse({ ...sent, taxId: "DE123" });
    expect(columnsOf(request)).toMatchObject({ tax_id: "DE123", zip_code: fields.zipCode });

    const api = signUpsInProcess();
    const signUps = signUpsIn(databaseOver(api.d1));
    const add = () =>
      signUps.add({ id: "1", idempotencyKey: "1", passwordHash: "a hash", requestId: "the-request", request });
    await expect(add()).rejects.toThrow("tax_id");
    for (const column of ["tax_id", "order_number"]) api.rows(`ALTER TABLE sign_ups ADD COLUMN ${column} TEXT`);
    expect(await add()).toMatchObject({ tax_id: "DE123", order_number: null });
    expect(api.rows("SELECT tax_id FROM sign_ups")).toEqual([{ tax_id: "DE123" }]);
  });
});
