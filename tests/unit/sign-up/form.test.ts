// @vitest-environment jsdom
import { act, createElement, type ReactElement } from "react";
import { expect, test } from "vitest";
import { API_PROMISES, type ApiPromise } from "../../../app/contract/api-promises";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PricingPage } from "../../../app/pricing/pricing-page";
import { paymentFailed } from "../../../app/signup/notices";
import { SIGNUP_CANCELED } from "../../../app/signup/server/notices.server";
import { SignupPage } from "../../../app/signup/signup-page";
import type { FormStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import type { Site } from "../../../app/ui/use-site";
import { fields } from "../../support/person";
import { PLANS } from "../../support/plans";
import { OTHER_PLAN, PLAN, TERMS } from "../../support/site-in-process/site-settings";
import { cardStep, done, pass, renderedPages } from "./rendered-page";
import { OTHER_TERMS } from "./sessions";

/* The form: what it sends, what a screen reader hears when the browser refuses to send it, and how it comes back from the site. */

const show = renderedPages();
const page = createElement(SignupPage);
const formStep = (more: Partial<FormStepData>): SignupStep => ({ step: "form", packageId: PLAN, ...more });

/** Shows a form in which these fields are filled in. */
async function formWith(values: Record<string, string>, packageId: string = PLAN) {
  const shown = await show(page, formStep({ packageId }));
  const inputNamed = (name: string) => shown.container.querySelector<HTMLInputElement>(`input[name=${name}]`);
  const fill = (name: string, value: string) =>
    act(async () => {
      const input = inputNamed(name);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  for (const [name, value] of Object.entries(values)) await fill(name, value);
  const heard: string[] = [];
  const regions = [...shown.container.querySelectorAll("[role=status], [role=alert]")];
  const listener = new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) if (addedNodes.length > 0) heard.push(target.textContent ?? "");
  });
  for (const region of regions) listener.observe(region, { childList: true, subtree: true, characterData: true });
  return {
    ...shown,
    heard,
    fill,
    focus: (name: string) => act(async () => inputNamed(name)?.focus()),
    /** As the Enter key in a field. */
    submit: () => act(async () => shown.container.querySelector("form")?.requestSubmit(shown.button("Payment"))),
    invalid: () => [...shown.container.querySelectorAll("[aria-invalid]")].map((input) => input.getAttribute("name")),
    status: () => shown.container.querySelector("[role=status]")?.textContent,
  };
}

const { package_id: _, ...valid } = fields;
const { full_name: __, ...unnamed } = valid;
const { country: ___, ...unfinished } = unnamed;
const NO_NAME = "Contact name must be at least 2 characters";

test("each submit that is refused in the first invalid field says how many there are, and its message, until typing", async () => {
  const form = await formWith(unfinished);
  await form.focus("full_name");
  await form.submit();
  await form.submit();
  const says = `2 fields need attention. ${NO_NAME}`;
  expect(form.heard).toEqual([says, says]);
  await form.focus("country");
  await form.fill("country", "Canada");
  await form.focus("city");
  expect(form.heard, "on the way through the fields").toEqual([says, says]);
  expect(form.status()).toBe("");
});

test("a submit from elsewhere leaves the message to the field that gets the focus", async () => {
  const form = await formWith(unnamed);
  await form.focus("city");
  await form.submit();
  await pass(250);
  expect(document.activeElement).toHaveProperty("name", "full_name");
  expect(form.heard).toEqual(["1 field needs attention."]);
});

test("a submit without a valid plan leaves the messages to the summary that gets the focus, but once only", async () => {
  const form = await formWith(unnamed, "not-a-uuid");
  await form.focus("city");
  await form.submit();
  expect(document.activeElement?.textContent).toContain("There is a problem");
  expect(form.heard).toEqual(["2 fields need attention."]);
  await form.focus("full_name");
  await form.fill("full_name", "Ada");
  expect(document.activeElement).toHaveProperty("name", "full_name");
});

test("a field that is only passed is not judged before the form is sent", async () => {
  const form = await formWith({ full_name: "A" });
  for (const name of ["full_name", "company_name", "email"]) await form.focus(name);
  expect(form.invalid()).toEqual(["full_name"]);
  await form.fill("email", "");
  await form.focus("phone");
  expect(form.invalid()).toEqual(["full_name", "email"]);
});

const CUSTOM = "11111111-2222-4333-8444-555555555555";
const CUSTOM_PRICE = { price_cents: 77_700 };
const { MINI, STANDARD } = PLANS;
const LISTED = Object.values(PLANS).map(({ packageId, priceCents }) => `${packageId}:${priceCents}`);
const planless = formStep({ packageId: "" });
const custom = formStep({ packageId: CUSTOM, currentPriceCents: CUSTOM_PRICE.price_cents });
const retired = formStep({ packageId: CUSTOM, planProblem: "This plan is no longer available" });
/** The form of this plan comes back. */
const returned = (package_id: string, more: SignupReply = {}) => ({ form: { initialValue: { package_id } }, ...more });

const then = (price: string) => `$0 today. Then ${price} a month`;

interface PlanCase {
  form: string;
  step: SignupStep;
  reply?: SignupReply;
  selects?: string;
  sends: { package_id: string; price_cents?: string; tax_added?: string; trial_days?: string };
  /** The values of the choices. */
  offers: string[];
  says: string;
}

const ofCustom = { sends: { package_id: CUSTOM, price_cents: "77700" }, offers: [...LISTED, `${CUSTOM}:77700`] };
const ofMini = { sends: { package_id: OTHER_PLAN, price_cents: String(MINI.priceCents) }, says: then(MINI.short) };

test.each<PlanCase>([
  {
    form: "a listed plan",
    step: formStep({}),
    sends: { package_id: PLAN, price_cents: String(STANDARD.priceCents) },
    offers: LISTED,
    says: then(STANDARD.short),
  },
  { form: "no plan", step: planless, sends: { package_id: "" }, offers: [...LISTED, ""], says: "Your first" },
  { form: "a custom plan with the API's price", step: custom, ...ofCustom, says: then("$777") },
  {
    form: "a custom plan that comes back beside a card step",
    step: cardStep,
    reply: returned(CUSTOM, { shownTerms: CUSTOM_PRICE }),
    ...ofCustom,
    offers: [...ofCustom.offers, ""],
    says: then("$777"),
  },
  {
    form: "a custom plan that comes back with a new price",
    step: custom,
    reply: returned(CUSTOM, { shownTerms: CUSTOM_PRICE, currentTerms: { ...TERMS, price_cents: 80_000 } }),
    sends: { package_id: CUSTOM, price_cents: "80000" },
    offers: [...LISTED, `${CUSTOM}:80000`],
    says: then("$800"),
  },
  ...[{ currentTerms: OTHER_TERMS }, { shownTerms: OTHER_TERMS }].map((terms) => ({
    form: `a listed plan that comes back with ${JSON.stringify(terms)}`,
    step: formStep({}),
    reply: returned(PLAN, terms),
    sends: { package_id: PLAN, price_cents: "45000", tax_added: "true", trial_days: "9" },
    offers: LISTED.with(2, `${PLAN}:45000`),
    says: `${then("$450")} plus any tax after 9 days unless you cancel.`,
  })),
  {
    form: "a retired plan",
    step: retired,
    sends: { package_id: CUSTOM },
    offers: LISTED,
    says: `Choose a planThis plan is no longer available${MINI.title}, ${MINI.short} a month`,
  },
  {
    form: "a plan that is selected in place of a custom one",
    step: custom,
    selects: OTHER_PLAN,
    ...ofCustom,
    ...ofMini,
  },
  {
    form: "a plan that comes back in place of a retired one",
    step: retired,
    reply: returned(OTHER_PLAN, { shownTerms: { price_cents: MINI.priceCents } }),
    offers: LISTED,
    ...ofMini,
  },
  ...[PLAN, CUSTOM].map((refused) => ({
    form: `the plan ${refused}, which the API refused`,
    step: refused === CUSTOM ? custom : formStep({}),
    reply: returned(refused, { shownTerms: CUSTOM_PRICE, planProblem: "This plan is not available" }),
    sends: { package_id: refused },
    offers: LISTED.filter((value) => !value.startsWith(refused)),
    says: "Choose a planThis plan is not available",
  })),
])("a form sends its plan at the price that it shows, and offers the plans on sale: $form", async (row) => {
  const { container } = await show(page, row.step, row.reply);
  const offers = [...container.querySelectorAll<HTMLInputElement>("[name=plan_choice]")];
  await act(async () => offers.find(({ value }) => value.split(":")[0] === row.selects)?.click());
  const sent = Object.fromEntries(new FormData(container.querySelector("form") ?? undefined));
  const { package_id, price_cents, tax_added, trial_days } = sent;
  const defaults = { price_cents: undefined, tax_added: "false", trial_days: String(TRIAL_DAYS) };
  expect({ package_id, price_cents, tax_added, trial_days }).toEqual({ ...defaults, ...row.sends });
  expect(offers.map(({ value }) => value)).toEqual(row.offers);
  const chosen = offers.filter(({ checked }) => checked).map(({ value }) => value);
  expect(chosen).toEqual(row.offers.filter((value) => value.split(":")[0] === package_id));
  expect(container.textContent).toContain(row.says);
});

/* What pages say beyond the specification, only where the API behind the site does it. */

const form = formStep({});
const withoutPlan = { ...done, packageId: "", terms: { ...TERMS, price_cents: undefined } };
const pricing = { step: form, page: createElement(PricingPage) };

async function textOf(step: SignupStep, site: Partial<Site>, shown: ReactElement = page) {
  return (await show(shown, step, undefined, { site })).container.textContent;
}

const canceled = formStep({ ended: SIGNUP_CANCELED });
const ENDS = SIGNUP_CANCELED.promised?.text ?? "";
const TWO_MORE = "You can try at most 2 more cards.";
const declined = formStep({ ended: paymentFailed("Declined", TWO_MORE) });
const NOT_CHARGED = ", and you won’t be charged for this one";

test.each<{ promise: ApiPromise; where: string; step: SignupStep; page?: ReactElement; says: string }>([
  { promise: "confirms-email", where: "the success", step: done, says: "press “Confirm my email address”" },
  { promise: "reminds", where: "the success", step: done, says: "email you a reminder" },
  { promise: "reminds", where: "the form", step: form, says: "email you a reminder" },
  { promise: "reminds", where: "pricing", ...pricing, says: "email you a reminder" },
  { promise: "ends-sign-ups", where: "the card step at its plan", step: cardStep, says: NOT_CHARGED },
  { promise: "links-portal", where: "the card step", step: cardStep, says: "every email we send links to it" },
  { promise: "ends-sign-ups", where: "the form after a canceled sign-up", step: canceled, says: ENDS },
  { promise: "ends-sign-ups", where: "a declined card's notice", step: declined, says: TWO_MORE },
  { promise: "charges-only-plans", where: "the success", step: withoutPlan, says: "so you won’t be charged" },
  { promise: "charges-only-plans", where: "the form", step: planless, says: "you pay nothing" },
])("$where says “$says” only of an API that $promise", async ({ promise, step, page, says }) => {
  expect(await textOf(step, {}, page)).toContain(says);
  const others = API_PROMISES.filter((other) => other !== promise);
  expect(await textOf(step, { apiPromises: others }, page)).not.toContain(says);
});

const BEFORE_CHARGE = "To cancel before the first charge, use your account settings.";

test.each<{ where: string; step: SignupStep; page?: ReactElement; says: string }>([
  { where: "the form", step: form, says: BEFORE_CHARGE },
  { where: "the card step", step: cardStep, says: "To cancel, use your account settings." },
  { where: "the success", step: done, says: BEFORE_CHARGE },
  { where: "pricing", ...pricing, says: "through your account settings. Fees already" },
])("$where names no customer portal where there is none", async ({ step, page, says }) => {
  const text = await textOf(step, { customerPortalUrl: undefined }, page);
  expect(text).toContain(says);
  expect(text).not.toMatch(/portal|invoices there/);
});
