// @vitest-environment jsdom
import { createElement } from "react";
import { expect, test } from "vitest";
import { counted } from "../../../app/contract/counted";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { SignupPage } from "../../../app/signup/signup-page";
import type { FormStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import { PLANS } from "../../support/plans";
import { cardStep, renderedPages } from "./rendered-page";
import { SESSIONS } from "./sessions";

/* The pages of a plan that is not on the price list. */

const show = renderedPages();
const page = createElement(SignupPage);

const CUSTOM = "11111111-2222-4333-8444-555555555555";
const form: FormStepData = { step: "form", packageId: CUSTOM };
const priced: FormStepData = { ...form, currentPriceCents: 77_700 };
const done: SignupStep = { ...SESSIONS.done, step: "done", details: undefined };

test.each<{ name: string; step: SignupStep; reply?: SignupReply; says: string }>([
  {
    name: "a custom plan's form has the price from the API",
    step: priced,
    says: `$0 today. Then $777 a month after ${counted(TRIAL_DAYS, "day")} unless you cancel.`,
  },
  {
    name: "a custom plan's form has the price that replaced the one it showed",
    step: priced,
    reply: { form: { initialValue: { package_id: CUSTOM } }, currentPriceCents: 80_000 },
    says: `$0 today. Then $800 a month after ${counted(TRIAL_DAYS, "day")} unless you cancel.`,
  },
  {
    name: "a custom plan's form that comes back beside a card step has the price that it showed",
    step: cardStep,
    reply: { form: { initialValue: { package_id: CUSTOM, price_cents: "77700" } } },
    says: `$0 today. Then $777 a month after ${counted(TRIAL_DAYS, "day")} unless you cancel.`,
  },
  {
    name: "a custom plan's card step offers to change it",
    step: { ...cardStep, packageId: CUSTOM, agreedPriceCents: 77_700 },
    says: "Change planYou’ll go back",
  },
  {
    name: "a custom plan's card step has the price that the visitor agreed to",
    step: { ...cardStep, packageId: CUSTOM, agreedPriceCents: 77_700 },
    says: "we’ll charge $777.00 USD to your card",
  },
  {
    name: "a custom plan's success has the price that the visitor agreed to",
    step: { ...done, packageId: CUSTOM, agreedPriceCents: 77_700 },
    says: "Custom plan, $777 a month after the trial",
  },
  {
    name: "the form of a plan that is no longer sold says so and offers others",
    step: { ...form, planProblem: "This plan is no longer available" },
    says: `Choose a planThis plan is no longer availableMINI, ${PLANS.MINI.short} a month`,
  },
])("$name", async ({ step, reply, says }) => {
  const { container } = await show(page, step, reply);
  expect(container.textContent).toContain(says);
});

test.each([undefined, 77_700])(
  "a custom plan's success at %s cents does not say that no plan was chosen",
  async (agreedPriceCents) => {
    const { container } = await show(page, { ...done, packageId: CUSTOM, agreedPriceCents });
    expect(container.textContent).not.toContain("chosen a plan");
    expect(container.textContent).toContain("We’ll email you a reminder");
  },
);

test("a custom plan's form sends the price from the API", async () => {
  const { container } = await show(page, priced);
  expect(container.querySelector<HTMLInputElement>("[name=price_cents]")?.value).toBe("77700");
});
