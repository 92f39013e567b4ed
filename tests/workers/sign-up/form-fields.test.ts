import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { typed } from "../../support/person";
import { readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Each field of the form as a visitor without a script meets it, empty and refused. */

const { visitor, dispose } = await startVisitedSite();
afterAll(dispose);

type Page = ReturnType<typeof readPage>;

type Field = { name: string; label: string; autocomplete: string; message: string; type?: string; hint?: string };
/** Every field in the order of the page, and its message for `x`. */
const FIELDS: Field[] = [
  {
    name: "full_name",
    label: "Contact Name",
    autocomplete: "name",
    message: "Contact name must be at least 2 characters",
  },
  {
    name: "company_name",
    label: "Company Name",
    autocomplete: "organization",
    message: "Company name must be at least 2 characters",
  },
  { name: "email", label: "Email Address", autocomplete: "username", message: "Please enter a valid email address" },
  {
    name: "phone",
    label: "Phone Number",
    type: "tel",
    autocomplete: "tel",
    hint: "US and Canada: 10 digits. Elsewhere: start with the country code, for example +44 20 7946 0958.",
    message: "Phone number is required",
  },
  {
    name: "password",
    label: "Password",
    type: "password",
    autocomplete: "new-password",
    hint: "At least 8 characters with an uppercase letter, a lowercase letter, a number and a special character.",
    message: "Password must be at least 8 characters",
  },
  {
    name: "confirmPassword",
    label: "Confirm Password",
    type: "password",
    autocomplete: "new-password",
    message: "Passwords do not match",
  },
  {
    name: "address",
    label: "Street Address",
    autocomplete: "address-line1",
    message: "Street address must be at least 5 characters",
  },
  { name: "city", label: "City", autocomplete: "address-level2", message: "City must be at least 2 characters" },
  {
    name: "state",
    label: "State/Province",
    autocomplete: "address-level1",
    message: "State must be at least 2 characters",
  },
  {
    name: "zipCode",
    label: "ZIP Code",
    autocomplete: "postal-code",
    hint: "5 digits or ZIP+4, for example 62701 or 62701-1234",
    message: "ZIP code must be at least 5 characters",
  },
  {
    name: "country",
    label: "Country",
    autocomplete: "country-name",
    message: "Country must be at least 2 characters",
  },
];

let empty: Page;
let refused: Page;
beforeAll(async () => {
  empty = readPage(await visitor.get(`/subscription/${typed.package_id}`));
  const wrong = Object.fromEntries(FIELDS.map(({ name }) => [name, "x"]));
  refused = readPage(await visitor.submit({ ...wrong, confirmPassword: "y" }));
});

describe.each(FIELDS)("the field $name", ({ name, label, type, autocomplete, hint = "", message }) => {
  const inputOf = ({ document }: Page) => document.querySelector<HTMLInputElement>(`fieldset input[name=${name}]`);
  const attributeOf = (page: Page, key: string) => inputOf(page)?.getAttribute(key) ?? undefined;

  test("has its label", () => {
    expect([...(inputOf(empty)?.labels ?? [])].map(({ textContent }) => textContent)).toEqual([label]);
  });

  test("has its type, is required, and is filled in by browsers", () => {
    expect(attributeOf(empty, "type")).toBe(type);
    expect(attributeOf(empty, "required")).toBe("");
    expect(attributeOf(empty, "autocomplete")).toBe(autocomplete);
  });

  test("tells password managers the rules, if it is a password", () => {
    const rules = "minlength: 8; maxlength: 256; required: upper; required: lower; required: digit; required: special;";
    expect(attributeOf(empty, "passwordrules")).toBe(type === "password" ? rules : undefined);
  });

  test.each(["maxlength", "readonly", "onpaste", "disabled"])("does not hinder visitors with %s", (hindrance) => {
    expect(attributeOf(empty, hindrance)).toBeUndefined();
  });

  test("is typed exactly where it must be", () => {
    const isExact = name === "email" || type === "password";
    expect(attributeOf(empty, "inputmode")).toBe(name === "email" ? "email" : undefined);
    expect(attributeOf(empty, "autocapitalize")).toBe(isExact ? "none" : undefined);
    expect(attributeOf(empty, "spellcheck")).toBe(isExact ? "false" : undefined);
  });

  test("is empty at first, with its hint and without a message", () => {
    expect(inputOf(empty)?.value).toBe("");
    expect(empty.words(`#signup-${name}-hint`)).toBe(hint);
    expect(empty.wordsOfEach(`#signup-${name}-error li`)).toEqual([]);
    expect(attributeOf(empty, "aria-describedby")).toBe(hint ? `signup-${name}-hint` : undefined);
    expect(attributeOf(empty, "aria-invalid")).toBeUndefined();
  });

  test("has its message when it is refused, read out by screen readers", () => {
    expect(refused.wordsOfEach(`#signup-${name}-error li`)[0]).toBe(message);
    const remedy = name === "zipCode" ? ["remedy"] : [];
    const described = [...(hint ? ["hint"] : []), "error", ...remedy].map((part) => `signup-${name}-${part}`);
    expect(attributeOf(refused, "aria-describedby")).toBe(described.join(" "));
    expect(attributeOf(refused, "aria-invalid")).toBe("true");
  });

  test("keeps what was typed when it is refused, unless it is a password", () => {
    expect(inputOf(refused)?.value).toBe(type === "password" ? "" : "x");
  });
});

describe("the form", () => {
  test("has two sections with all fields in order", () => {
    const { wordsOfEach, each } = empty;
    const names = FIELDS.map(({ name }) => name);
    expect(wordsOfEach("form legend")).toEqual(["Contact Information", "Billing Address"]);
    expect(each("form fieldset:first-of-type input", "name")).toEqual(names.slice(0, 6));
    expect(each("form fieldset ~ fieldset input", "name")).toEqual(names.slice(6));
  });
});

describe("a ZIP code in another format", () => {
  test("is refused with a way to sales", () => {
    expect(refused.words("#signup-zipCode-remedy")).toBe("Another format? Contact sales.");
    expect(refused.links("#signup-zipCode-remedy a")).toEqual([`Contact sales: mailto:${company.salesEmail}`]);
  });

  test("is not mentioned before that", () => {
    expect(empty.words()).not.toContain("Another format?");
  });
});
