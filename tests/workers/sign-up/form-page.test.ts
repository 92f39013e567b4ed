import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { DUPLICATE_EMAIL } from "../../../app/signup/notices";
import { typed } from "../../support/person";
import { readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The form as a visitor without a script reads it, empty and with what was wrong. */

const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const UNKNOWN = "11111111-2222-4333-8444-555555555555";
const CUSTOM = `/subscription/${UNKNOWN}`;

const CONSOLE_URL = "https://console.test";
const vars = { CONSOLE_URL };
const { upstream, visitor, dispose } = await startVisitedSite({ vars });
afterAll(dispose);

const opened = async (path = "/subscription") => readPage(await visitor.get(path));

const ZIP_HINT = "5 digits or ZIP+4, for example 62701 or 62701-1234";
const PHONE_HINT = "US and Canada: 10 digits. Elsewhere: start with the country code, for example +44 20 7946 0958.";
const PASSWORD_HINT =
  "At least 8 characters with an uppercase letter, a lowercase letter, a number and a special character.";

/** Name, label, type, autocomplete, hint and message for `x` of every field, in the order of the page. */
const FIELDS = [
  ["full_name", "Contact Name", null, "name", "", "Contact name must be at least 2 characters"],
  ["company_name", "Company Name", null, "organization", "", "Company name must be at least 2 characters"],
  ["email", "Email Address", null, "email", "", "Please enter a valid email address"],
  ["phone", "Phone Number", "tel", "tel", PHONE_HINT, "Phone number is required"],
  ["password", "Password", "password", "new-password", PASSWORD_HINT, "Password must be at least 8 characters"],
  ["confirmPassword", "Confirm Password", "password", "new-password", "", "Passwords do not match"],
  ["address", "Street Address", null, "address-line1", "", "Street address must be at least 5 characters"],
  ["city", "City", null, "address-level2", "", "City must be at least 2 characters"],
  ["state", "State/Province", null, "address-level1", "", "State must be at least 2 characters"],
  ["zipCode", "ZIP Code", null, "postal-code", ZIP_HINT, "ZIP code must be at least 5 characters"],
  ["country", "Country", null, "country-name", "", "Country must be at least 2 characters"],
] as const;

const names = FIELDS.map(([name]) => name);
const wrong: Record<string, string> = Object.fromEntries(names.map((name) => [name, "x"]));
const [empty, refused] = [await opened(), readPage(await visitor.submit({ ...wrong, confirmPassword: "y" }))];

test.each(FIELDS)("%s has its label, hint and attributes, and when refused its message", (...field) => {
  const [name, label, type, autocomplete, hint, message] = field;
  for (const { status, document, words, wordsOfEach } of [empty, refused]) {
    const isRefused = status === 422;
    const input = document.querySelector<HTMLInputElement>(`fieldset input[name=${name}]`);
    const attribute = (key: string) => input?.getAttribute(key) ?? null;
    expect([...(input?.labels ?? [])].map(({ textContent }) => textContent)).toEqual([label]);
    expect([attribute("type"), attribute("autocomplete"), attribute("required")]).toEqual([type, autocomplete, ""]);
    for (const hindrance of ["maxlength", "readonly", "onpaste", "disabled"]) expect(attribute(hindrance)).toBeNull();
    expect(input?.value).toBe(isRefused && type !== "password" ? wrong[name] : "");
    expect(words(`#signup-${name}-hint`)).toBe(hint);
    expect(wordsOfEach(`#signup-${name}-error li`)[0]).toBe(isRefused ? message : undefined);
    const described = [hint && `signup-${name}-hint`, isRefused && `signup-${name}-error`].filter(Boolean).join(" ");
    // The remedy has tests of its own.
    expect(attribute("aria-describedby")?.replace(` signup-${name}-remedy`, "") ?? null).toBe(described || null);
    expect(attribute("aria-invalid")).toBe(isRefused ? "true" : null);
    const typing = ["inputmode", "autocapitalize", "spellcheck"].map(attribute);
    const isExact = name === "email" || type === "password";
    expect(typing).toEqual([name === "email" ? "email" : null, ...(isExact ? ["none", "false"] : [null, null])]);
  }
});

test("the form has heading, intro, card, two sections with all fields in order, and its button", () => {
  const { words, wordsOfEach, each, links } = empty;
  expect(wordsOfEach("main > div > div > p")).toEqual([
    "Step 1 of 2: details",
    "Join thousands of businesses improving their visibility in AI search.",
  ]);
  const card = ".card[aria-labelledby=subscription-information]";
  expect([words(`${card} > h2`), words(`${card} > h2 + p`)]).toEqual([
    "Subscription Information",
    "Complete your subscription by providing your contact and billing information.",
  ]);
  expect(words("form > p.text-sm")).toBe("All fields are required.");
  expect(wordsOfEach("fieldset legend")).toEqual(["Contact Information", "Billing Address"]);
  const sections = ["fieldset:first-of-type input", "fieldset ~ fieldset input"].map((all) => each(all, "name"));
  expect(sections).toEqual([names.slice(0, 6), names.slice(6)]);
  expect([each("form#signup", "method"), each("form#signup [type=submit]", "disabled")]).toEqual([["post"], [null]]);
  expect(words("form#signup [type=submit]")).toBe("Payment");
  expect(words(".submit-area p")).toBe("By continuing you accept the Terms and the Privacy Policy.");
  expect(links(".submit-area p a").flat()).toEqual(["Terms", "/terms", "Privacy Policy", "/privacy"]);
});

test("a refused ZIP code is told at its field, with where to go for another format", () => {
  const errors = refused.words("#signup-zipCode-error");
  const remedy = refused.words("#signup-zipCode-remedy");
  expect(`${errors}. ${remedy}`).toBe("ZIP code must be at least 5 characters. Another format? Contact sales.");
});

test("the remedy of a refused ZIP code is read with its field, and writes to sales", () => {
  expect(refused.each("[name=zipCode]", "aria-describedby")).toEqual([
    "signup-zipCode-hint signup-zipCode-error signup-zipCode-remedy",
  ]);
  expect(refused.links("#signup-zipCode-remedy a")).toEqual([["Contact sales", `mailto:${company.salesEmail}`]]);
});

test("a form without a refused ZIP code speaks of no other format", () => {
  expect(empty.words()).not.toContain("Another format?");
});

const AGREED = "the price you agreed with us";
const SAVED = "We save your card but don't charge it during your 5-day free trial.";
const CUSTOM_CARD = `Custom planThis plan is not on our pricing page. You'll pay ${AGREED}. ${SAVED}Compare plans`;
const MINI_CARD = "MINI $100 a month5-day free trial, then $100/monthChange plan";
test.each([
  [MINI, MINI, "Then $100/month after 5 days unless you cancel.", MINI_CARD],
  ["/subscription", "/subscription", "Your first 5 days are free.", `No plan chosen yet.${SAVED}Compare plans`],
  [`${CUSTOM}?id=other`, CUSTOM, `Then ${AGREED} after 5 days unless you cancel.`, CUSTOM_CARD],
  [`/subscription?uuid=${UNKNOWN}`, CUSTOM, `Then ${AGREED} after 5 days unless you cancel.`, CUSTOM_CARD],
])("%s posts to %s, and has its plan's card and terms above the button: %s", async (path, action, terms, card) => {
  const { each, words, links } = await opened(path);
  expect(each("form#signup", "action")).toEqual([action]);
  expect(each("[name=package_id]", "value")).toEqual([action.slice("/subscription/".length)]);
  expect(words("form p:has(+ button)")).toBe(`$0 today. ${terms}`);
  expect(words("aside")).toBe(`Your plan${card}`);
  expect(links("aside a").map(([, href]) => href)).toEqual(["/pricing"]);
  expect(words()).not.toContain(UNKNOWN);
});

test("an invalid plan is told on arrival, with the plans to choose from, and in the summary of a refused form", async () => {
  const { words, links } = await opened("/subscription?id=not-a-uuid");
  expect([words("aside h2"), words("[aria-labelledby=error-summary]")]).toEqual(["Invalid subscription ID", ""]);
  expect(links("aside a")).toEqual([
    ["MINI, $100 a month", MINI],
    ["LITE, $200 a month", "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220"],
    ["STANDARD, $500 a month", `/subscription/${typed.package_id}`],
    ["Compare plans", "/pricing"],
  ]);
  const returned = readPage(await visitor.submit({ package_id: "not-a-uuid" }));
  expect(returned.links("[aria-labelledby=error-summary] a")).toEqual([["Invalid subscription ID", "#choose-plan"]]);
  expect(returned.words("#choose-plan h2")).toBe("Invalid subscription ID");
});

test("a duplicate is told at the email address, with everything typed but the passwords", async () => {
  upstream.answersJson(409, {});
  const { status, each, wordsOfEach, words, links } = readPage(await visitor.submit());
  expect(status).toBe(409);
  for (const [name, value] of Object.entries(typed)) expect(each(`[name=${name}]`, "value"), name).toEqual([value]);
  expect(each("[type=password]", "value").filter(Boolean)).toEqual([]);
  expect(wordsOfEach("#signup-email-error li")).toEqual([DUPLICATE_EMAIL]);
  expect(each("[aria-invalid]", "name")).toEqual(["email"]);
  expect(words("[autofocus]")).toContain("Submission Failed");
  const remedies = ["Log in to the Customer Console", CONSOLE_URL, "Contact Support", `mailto:${company.supportEmail}`];
  expect(links("[role=alert] a").flat()).toEqual(remedies);
});
