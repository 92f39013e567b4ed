import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { validateOnServer } from "../../../app/signup/server/form/posted-form.server";
import { typed } from "../../support/person";
import { PLANS } from "../../support/plans";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The form as a visitor without a script reads it and fills it in, and the plan that is chosen in it. */

const { MINI, LITE } = PLANS;
const MINI_PATH = signUpPath(MINI.packageId);
const UNKNOWN = "11111111-2222-4333-8444-555555555555";
const CUSTOM = signUpPath(UNKNOWN);
const SUMMARY = "[aria-labelledby=error-summary] a";

const CONSOLE_URL = "https://console.test";
const { upstream, visitor, dispose } = await startVisitedSite({ vars: { CONSOLE_URL } });
afterAll(dispose);

const open = pageReader(visitor);

test("the form is a card that says its step and what it is for, and is posted by the button Payment", async () => {
  const { words, wordsOfEach, each, links } = await open("/subscription");
  expect(wordsOfEach("main .step-frame > div > p")).toEqual([
    "Step 1 of 2: details",
    "Join thousands of businesses improving their visibility in AI search.",
  ]);
  expect(wordsOfEach(".card[aria-labelledby=subscription-information] > :is(h2, h2 + p)")).toEqual([
    "Subscription Information",
    "Complete your subscription by providing your contact and billing information.",
  ]);
  expect(words("form > p.text-sm")).toBe("All fields are required.");
  expect(each("form#signup", "method")).toEqual(["post"]);
  expect(words("form#signup [type=submit]")).toBe("Payment");
  expect(each("form#signup [type=submit]", "disabled")).toEqual([null]);
  expect(words(".submit-area p")).toBe("By continuing you accept the Terms and the Privacy Policy.");
  expect(links(".submit-area p a")).toEqual(["Terms: /terms", "Privacy Policy: /privacy"]);
});

/** The choices of a plan. */
const OFFERS = Object.values(PLANS).map(({ title, short }) => `${title}, ${short} a month`);
const AGREED = "the price you agreed with us";
const SAVED = `We save your card but don’t charge it during your ${TRIAL_DAYS}-day free trial.`;
const THEN = (price: string) => `Then ${price} a month after ${TRIAL_DAYS} days unless you cancel.`;

test.each([
  {
    ...{ path: MINI_PATH, action: MINI_PATH, terms: THEN(MINI.short) },
    card: `${MINI.title}${TRIAL_DAYS}-day free trial, then ${MINI.short} a monthDue today $0.00After ${TRIAL_DAYS} days ${MINI.short}.00 a month`,
    offers: OFFERS,
    selected: `${MINI.packageId}:${MINI.priceCents}`,
  },
  {
    ...{ path: "/subscription", action: "/subscription", terms: `Your first ${TRIAL_DAYS} days are free.` },
    card: `The one you choose.You can choose one in the form.${SAVED}`,
    offers: [...OFFERS, "No plan yet: tell support which one you want before your trial ends"],
    selected: "",
  },
  {
    ...{ path: `/subscription?uuid=${UNKNOWN}`, action: CUSTOM, terms: THEN(AGREED).replace(" a month", "") },
    card: `Custom planThis plan is not on our pricing page. You’ll pay ${AGREED}. ${SAVED}`,
    offers: [...OFFERS, "Custom plan, at the price you agreed with us"],
    selected: `${UNKNOWN}:`,
  },
])("the form at $path posts its plan to $action, names its payments, offers others, and shows no ID", async (row) => {
  const { words, wordsOfEach, links, each } = await open(row.path);
  expect(each("form#signup", "action")).toEqual([row.action]);
  expect(each("[name=package_id]", "value")).toEqual([row.action.slice("/subscription/".length)]);
  expect(words("form p:has(+ button)")).toContain(`: $0 today. ${row.terms}`);
  expect(words("aside h2 + div")).toBe(row.card);
  expect(wordsOfEach("label:has([name=plan_choice])")).toEqual(row.offers);
  expect(each("[name=plan_choice][checked]", "value")).toEqual([row.selected]);
  expect(each("aside [name=plan_choice]:not([form=signup])", "value"), "choices outside the form").toEqual([]);
  // Another tab keeps everything that was typed.
  expect(links("aside a")).toEqual(["Compare plans (new tab): /pricing"]);
  expect(each("aside a", "target")).toEqual(["_blank"]);
  expect(words()).not.toContain(UNKNOWN);
});

test("an invalid plan is reported on arrival, with the plans to choose from, of which none is selected", async () => {
  const { words, wordsOfEach, each } = await open("/subscription/not-a-uuid");
  expect(words("#choose-plan-error")).toBe("Invalid subscription ID");
  expect(wordsOfEach("fieldset[aria-describedby=choose-plan-error] label")).toEqual(OFFERS);
  expect(each("[name=plan_choice][checked]", "value")).toEqual([]);
  expect(words("[aria-labelledby=error-summary]"), "the summary of a form that was not sent").toBe("");
});

const LITE_OFFER = `${LITE.packageId}:${LITE.priceCents}`;

test.each([
  { choice: "of LITE", package_id: UNKNOWN, plan_choice: LITE_OFFER, id: LITE.packageId, cents: LITE.priceCents },
  { choice: "of no plan", package_id: "not-a-uuid", plan_choice: "", id: undefined, cents: undefined },
])("the choice $choice in the form replaces the plan of its link", async ({ package_id, plan_choice, id, cents }) => {
  upstream.answersJson(201, { client_secret: "seti_1_secret_1" });
  expect(await visitor.submit({ package_id, plan_choice })).toRedirectTo(id ? signUpPath(id) : "/subscription");
  const [call] = upstream.calls;
  expect(JSON.parse(call?.body ?? "").package_id).toBe(id);
  expect(JSON.parse(String(call?.headers["subscription-terms"])).price_cents).toBe(cents);
});

test("a chosen plan stays chosen in a form that comes back, and something else is refused in its summary", async () => {
  const chosen = await visitor.submit({ package_id: UNKNOWN, plan_choice: LITE_OFFER, zipCode: "0" }, {}, CUSTOM);
  const { each, words } = readPage(chosen);
  expect(each("[name=package_id]", "value")).toEqual([LITE.packageId]);
  expect(words("form p:has(+ button)")).toContain(THEN(LITE.short));
  const refused = readPage(await visitor.submit({ package_id: UNKNOWN, plan_choice: "LITE" }, {}, CUSTOM));
  expect(refused.links(SUMMARY)).toEqual(["Invalid subscription ID: #choose-plan"]);
  expect(refused.each("#choose-plan", "name")).toEqual(["plan_choice"]);
});

test("what the page says while no script has run stays true when the visitor selects another plan", async () => {
  const { words, wordsOfEach } = await open(signUpPath(LITE.packageId));
  expect(wordsOfEach("form > p.font-semibold")).toEqual([
    `If you select another plan: $0 today. Then its price every month, starting after ${TRIAL_DAYS} days, unless you cancel.`,
    `Your trial with ${LITE.title}: $0 today. ${THEN(LITE.short)}`,
  ]);
  expect(words("#trial")).toBe(`How the trial works with ${LITE.title}`);
  expect(words("aside details")).toContain("If you select another plan here, you sign up for that one.");
});

test("a duplicate is reported in a notice that has the focus without a script, and leads to the console and to support", async () => {
  upstream.answersJson(409, {});
  const page = readPage(await visitor.submit());
  expect(page.words("[autofocus]")).toContain("Submission Failed");
  expect(page.links(".step-main > .notice-region a")).toEqual([
    `Log in to the Customer Console: ${CONSOLE_URL}`,
    `Contact Support: mailto:${company.supportEmail}`,
  ]);
});

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

test.each(FIELDS)("the field $name has its label, hint and attributes; refused, it has its message too", (field) => {
  const { name, label, hint = "", attributes } = field;
  const hintId = hint ? [`signup-${name}-hint`] : [];
  // Firefox tells screen readers that an empty field with `required` is invalid.
  const required = { ...attributes, "aria-required": "true" };
  expect(lookAt(empty, name)).toEqual({
    ...{ labels: [label], value: "", hint, messages: [] },
    attributes: { ...required, ...(hint && { "aria-describedby": hintId.join() }) },
  });
  const described = [...hintId, `signup-${name}-error`, ...(name === "zipCode" ? [`signup-${name}-remedy`] : [])];
  expect(messages[name], "the form's messages").not.toHaveLength(0);
  expect(lookAt(refused, name)).toEqual({
    // It keeps what was typed, unless it is a password.
    ...{ labels: [label], value: attributes === SECRET ? "" : "x", hint, messages: messages[name] },
    attributes: { ...required, "aria-invalid": "true", "aria-describedby": described.join(" ") },
  });
});

test("the form has two sections with all fields in order, and one that is refused a way to sales at its ZIP code", () => {
  const { wordsOfEach, each } = empty;
  expect(wordsOfEach("form legend")).toEqual(["Contact Information", "Billing Address"]);
  expect(each("form fieldset:first-of-type input", "name")).toEqual(names.slice(0, 6));
  expect(each("form fieldset ~ fieldset input", "name")).toEqual(names.slice(6));
  expect(refused.words("#signup-zipCode-remedy")).toBe("Another format? Contact sales.");
  expect(refused.links("#signup-zipCode-remedy a")).toEqual([`Contact sales: mailto:${company.salesEmail}`]);
  expect(empty.words()).not.toContain("Another format?");
});
