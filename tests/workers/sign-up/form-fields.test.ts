import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { validateOnServer } from "../../../app/signup/server/form/posted-form.server";
import { typed } from "../../support/person";
import { readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Each field of the form as a visitor without a script meets it, empty and refused. */

const { visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const EXACT = { autocapitalize: "none", spellcheck: "false" };
const RULES = "minlength: 8; maxlength: 256; required: upper; required: lower; required: digit; required: special;";
const SECRET = { autocomplete: "new-password", type: "password", passwordrules: RULES, ...EXACT };

type Field = { name: string; label: string; hint?: string; attributes: Record<string, string> };
/** Every field in the order of the page. */
const FIELDS: Field[] = [
  { name: "full_name", label: "Contact Name", attributes: { autocomplete: "name", dir: "auto" } },
  { name: "company_name", label: "Company Name", attributes: { autocomplete: "organization", dir: "auto" } },
  { name: "email", label: "Email Address", attributes: { autocomplete: "username", inputmode: "email", ...EXACT } },
  {
    ...{ name: "phone", label: "Phone Number", attributes: { autocomplete: "tel", type: "tel" } },
    hint: "US and Canada: 10 digits. Elsewhere: start with the country code, for example +44 20 7946 0958.",
  },
  {
    ...{ name: "password", label: "Password", attributes: SECRET },
    hint: "At least 8 characters with an uppercase letter, a lowercase letter, a number and a special character.",
  },
  { name: "confirmPassword", label: "Confirm Password", attributes: SECRET },
  { name: "address", label: "Street Address", attributes: { autocomplete: "address-line1", dir: "auto" } },
  { name: "city", label: "City", attributes: { autocomplete: "address-level2", dir: "auto" } },
  { name: "state", label: "State/Province", attributes: { autocomplete: "address-level1", dir: "auto" } },
  {
    ...{ name: "zipCode", label: "ZIP Code", attributes: { autocomplete: "postal-code" } },
    hint: "5 digits or ZIP+4, for example 62701 or 62701-1234.",
  },
  { name: "country", label: "Country", attributes: { autocomplete: "country-name", dir: "auto" } },
];
const names = FIELDS.map(({ name }) => name);

const empty = readPage(await visitor.get(`/subscription/${typed.package_id}`));
const wrong = { ...Object.fromEntries(names.map((name) => [name, "x"])), confirmPassword: "y" };
const refused = readPage(await visitor.submit(wrong));
const messages = validateOnServer(wrong).reply().error ?? {};

/** What is at a field: its labels and words, and every attribute that says how to read and fill it in. */
function lookAt({ document, words, wordsOfEach }: typeof empty, name: string) {
  const input = document.querySelector<HTMLInputElement>(`fieldset input[name=${name}]`);
  const attributes = [...(input?.attributes ?? [])].filter((one) => !["id", "name", "value"].includes(one.name));
  return {
    labels: [...(input?.labels ?? [])].map(({ textContent }) => textContent),
    value: input?.value,
    hint: words(`#signup-${name}-hint`),
    messages: wordsOfEach(`#signup-${name}-error li`),
    attributes: Object.fromEntries(attributes.map((one) => [one.name, one.value])),
  };
}

test.each(FIELDS)(
  "the field $name has its label and hint, is filled in by browsers and hinders nobody; refused, it has its message, and keeps what was typed unless it is a password",
  ({ name, label, hint = "", attributes }) => {
    const hintId = hint ? [`signup-${name}-hint`] : [];
    expect(lookAt(empty, name)).toEqual({
      ...{ labels: [label], value: "", hint, messages: [] },
      // Firefox tells screen readers that an empty field with `required` is invalid.
      attributes: { ...attributes, "aria-required": "true", ...(hint && { "aria-describedby": hintId.join() }) },
    });
    const described = [...hintId, `signup-${name}-error`, ...(name === "zipCode" ? [`signup-${name}-remedy`] : [])];
    expect(messages[name], "the form's messages").not.toHaveLength(0);
    expect(lookAt(refused, name)).toEqual({
      ...{ labels: [label], value: attributes === SECRET ? "" : "x", hint, messages: messages[name] },
      attributes: {
        ...{ ...attributes, "aria-required": "true", "aria-invalid": "true" },
        "aria-describedby": described.join(" "),
      },
    });
  },
);

test("the form has two sections with all fields in order", () => {
  const { wordsOfEach, each } = empty;
  expect(wordsOfEach("form legend")).toEqual(["Contact Information", "Billing Address"]);
  expect(each("form fieldset:first-of-type input", "name")).toEqual(names.slice(0, 6));
  expect(each("form fieldset ~ fieldset input", "name")).toEqual(names.slice(6));
});

test("a ZIP code in another format is refused with a way to sales, which is not mentioned before", () => {
  expect(refused.words("#signup-zipCode-remedy")).toBe("Another format? Contact sales.");
  expect(refused.links("#signup-zipCode-remedy a")).toEqual([`Contact sales: mailto:${company.salesEmail}`]);
  expect(empty.words()).not.toContain("Another format?");
});
