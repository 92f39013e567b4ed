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

describe("a new field", () => {
  test("appears on the form with its label, hint and autocomplete value", async () => {
    const { SignupForm } = await import("../../../app/signup/form/signup-form");
    const props = { packageId: PLAN, draft: undefined, reply: undefined };
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

  test("is read, validated, forwarded to the API, and filled in again", async () => {
    const { look, OTHER_PLAN, post, siteContext } = await import("../../support/site-in-process/site-context");
    const site = siteContext();
    const { session } = await post(site, { ...fields, taxId: "DE123" });
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toMatchObject({ taxId: "DE123", city: fields.city });
    if (typeof session !== "object") throw new Error("The form was not accepted.");
    const { step } = await look(site, { session, path: `/subscription/${OTHER_PLAN}` });
    expect(step).toMatchObject({ draft: { taxId: "DE123", city: fields.city } });

    const { reply } = await post(site, { ...fields, taxId: "123" });
    expect(reply?.form?.error).toEqual({ taxId: ["Please enter a valid tax ID"] });
    expect(reply?.form?.initialValue).toMatchObject({ taxId: "123" });
    expect((await post(site, fields)).reply?.form?.error).toEqual({ taxId: ["Tax ID is required"] });
  });

  test("is stored in its column; without the column the API accepts no sign-up", async () => {
    const { columnsOf } = await import("../../../functions/subscription-api/sign-ups/field-columns");
    const { signUpsIn } = await import("../../../functions/subscription-api/sign-ups/store");
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
