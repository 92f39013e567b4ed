// @vitest-environment jsdom
import { createElement } from "react";
import { describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { counted } from "../../../app/contract/counted";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { LINK_MINUTES } from "../../../app/signup/durations";
import type { Notice } from "../../../app/signup/notices";
import * as server from "../../../app/signup/server/notices.server";
import { SignupPage } from "../../../app/signup/signup-page";
import type { FormStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import { ErrorPage } from "../../../app/ui/layout/error-page";
import { PLANS } from "../../support/plans";
import { OTHER_PLAN, PATH, PLAN } from "../../support/site-in-process/site-settings";
import { cardStep, pass, renderedPages, SITE } from "./rendered-page";
import { SESSIONS } from "./sessions";

/* The words and links of each page of the sign-up. */

const show = renderedPages();
const page = createElement(SignupPage);

const SALES = `mailto:${company.salesEmail}`;
const SUPPORT = `mailto:${company.supportEmail}`;
const waiting: SignupStep = { step: "waiting", packageId: "", reason: "unreachable", refreshSeconds: 10 };
const done: SignupStep = { ...SESSIONS.done, step: "done", details: undefined };
const formStep = (more: Partial<FormStepData>): SignupStep => ({ step: "form", packageId: PLAN, ...more });

interface PageCase {
  name: string;
  step: SignupStep;
  reply?: SignupReply;
  says: string;
  /** URLs of some of its links. */
  links?: string[];
}

test.each<PageCase>([
  {
    name: "a link asks if the visitor wants to continue",
    step: { step: "resume", state: "ready" },
    says: "This link leads to a sign-up that was started earlier. Continue only if it's yours.Continue this sign-up",
  },
  {
    name: "a link leads to the sign-up that is already in progress in this browser",
    step: { step: "resume", state: "busy" },
    says: "open the link on another device.Continue the current sign-up",
    links: ["/"],
  },
  {
    name: "an expired link leads to the sign-up",
    step: { step: "resume", state: "expired" },
    says: `This link has expired. Links last ${counted(LINK_MINUTES, "minute")}. Get a new one where you started, or continue here.`,
    links: ["/"],
  },
  {
    name: "a link's sign-up that is finished leads to the sign-up",
    step: { step: "resume", state: "ready" },
    reply: { notice: server.SIGNUP_FINISHED, isOver: true },
    says: "You've already set up your card. There's nothing left to do.Go to the sign-up",
    links: ["/"],
  },
  {
    name: "a canceled sign-up's form offers sales",
    step: formStep({ ended: server.SIGNUP_CANCELED }),
    says: "To try again, start a new sign-up with another card, or contact sales",
    links: [SALES, SUPPORT],
  },
  {
    name: "an expired sign-up's form says that nothing was charged",
    step: formStep({ ended: server.SESSION_EXPIRED }),
    says: "Your sign-up has endedNo card was added in time. You haven't been charged, and you can sign up again.",
  },
  {
    name: "the form of a sign-up that could not be opened names the email",
    step: formStep({ ended: server.SESSION_UNREADABLE }),
    says: "If your card was set up, we have sent you an email.",
  },
  {
    name: "a form that edits the details says what is kept, and leads back to the card",
    step: formStep({ draft: { city: "Springfield" }, openPlan: PLAN }),
    says: "still needs a cardWe kept your details but not your password. Enter it again to change them, or go back to the card.",
    links: [PATH],
  },
  {
    name: "another plan's form says what is kept, and leads back to the card",
    step: formStep({ packageId: OTHER_PLAN, draft: { city: "Springfield" }, openPlan: PLAN }),
    says: "Finish it, or sign up for MINI below. We kept your details but not your password.",
    links: [PATH],
  },
  {
    name: "an empty form leads to the sign-up that is already in progress",
    step: formStep({ openPlan: PLAN }),
    says: "Finish it, or sign up for STANDARD below.",
    links: [PATH],
  },
  {
    name: "a success without a plan says how to choose one",
    step: { ...done, packageId: "" },
    says: "You haven’t chosen a plan yet, so you won’t be charged. Compare plans, then tell support which one you want",
    links: ["/pricing"],
  },
  {
    name: "a used card's step offers sales",
    step: { ...cardStep, flash: "card used" },
    says: "Payment FailedThis card has already been used for a free trial.",
    links: [SALES],
  },
  {
    name: "a declined card's step shows Stripe's message",
    step: { ...cardStep, flash: "declined", message: "Insufficient funds" },
    says: "Payment FailedInsufficient funds",
  },
  {
    name: "without a message from Stripe, a declined card's step shows the catalog's",
    step: { ...cardStep, flash: "declined" },
    says: "Payment FailedAn error occurred during payment",
  },
  {
    name: "a secret that Stripe does not know is a wrong configuration",
    step: { ...cardStep, flash: "unknown" },
    says: "Configuration ErrorPayment setup failed. Please contact support.Contact SupportRequest ID: the-first-request",
    links: [SUPPORT],
  },
  {
    name: "a missing publishable key is a wrong configuration",
    step: { ...cardStep, publishableKey: "" },
    says: "Configuration ErrorPayment setup failed. Please contact support.",
    links: [SUPPORT],
  },
  {
    name: "the card step leads to the customer portal",
    step: cardStep,
    says: "To cancel, open the customer portal; every email we send links to it.",
    links: [SITE.customerPortalUrl],
  },
  {
    name: "the card step charges the price that the visitor agreed to",
    step: { ...cardStep, agreedPriceCents: 45_000 },
    says: "we’ll charge $450.00 USD to your card",
  },
  {
    name: "the card step's plan has the price that the visitor agreed to",
    step: { ...cardStep, agreedPriceCents: 45_000 },
    says: `${TRIAL_DAYS}-day free trial, then $450 a month`,
  },
  {
    name: "a page that waits says that nothing is lost",
    step: waiting,
    says: "We haven't been able to confirm your card yet. Nothing is lost. This page checks automatically.",
    links: ["/?resume=x"],
  },
  {
    name: "a success without details names the address that was entered",
    step: done,
    says: "sent to the address that you entered.",
    links: [SITE.consoleUrl],
  },
  { name: "a success has its request ID", step: done, says: "include this request ID: the-first-request" },
  {
    name: "a success has the price that the visitor agreed to",
    step: { ...done, agreedPriceCents: 45_000 },
    says: "$450.00 USD, on or after",
  },
])("$name", async ({ step, reply, says, links = [] }) => {
  const { container } = await show(page, step, reply);
  expect(container.textContent).toContain(says);
  const hrefs = [...container.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  expect(hrefs).toEqual(expect.arrayContaining(links));
});

test("a success without a plan promises no reminder, because none is sent", async () => {
  const { container } = await show(page, { ...done, packageId: "" });
  expect(container.textContent).not.toContain("reminder");
});

describe("a form that comes back", () => {
  const form = { initialValue: { package_id: PLAN } };
  const failure: Notice = { kind: "destructive", title: "Failed", actions: ["support"] };

  test("is shown even if the cookie's sign-up has changed", async () => {
    const { container } = await show(page, cardStep, { form, notice: failure });
    expect(container.querySelector("form")?.getAttribute("action")).toBe(PATH);
  });

  test("leads back to the card step that is in progress", async () => {
    const { container } = await show(page, cardStep, { form, notice: failure });
    expect(container.textContent).toContain("Your STANDARD sign-up still needs a card");
  });

  test("names the request ID where it offers support", async () => {
    const { container } = await show(page, formStep({}), { form, notice: failure, requestId: "r-1" });
    expect(container.textContent).toContain("Contact SupportRequest ID: r-1");
  });

  test("to a network over its limit says how to continue", async () => {
    const { container } = await show(page, formStep({}), { form, notice: server.ONE_MORE_STEP });
    expect(container).toShowNotice("One more step", "Many sign-ups come from your network. Confirm you're not a bot");
  });

  test("with another price shows and sends it", async () => {
    const { container } = await show(page, formStep({}), { form, currentPriceCents: 60_000 });
    expect(container.textContent).toContain(
      `$0 today. Then $600 a month after ${counted(TRIAL_DAYS, "day")} unless you cancel.`,
    );
    expect(container.querySelector<HTMLInputElement>("[name=price_cents]")?.value).toBe("60000");
  });
});

describe("the form", () => {
  test("sends the price of its plan", async () => {
    const { container } = await show(page, formStep({}));
    expect(container.querySelector<HTMLInputElement>("[name=price_cents]")?.value).toBe(
      String(PLANS.STANDARD.priceCents),
    );
  });

  test("without a plan sends no price", async () => {
    const { container } = await show(page, formStep({ packageId: "" }));
    expect(container.querySelector("[name=price_cents]")).toBeNull();
  });
});

test("a page that waits checks again every ten seconds, for as long as it takes", async () => {
  const { loader } = await show(page, waiting);
  await pass(9_999);
  expect(loader).not.toHaveBeenCalled();
  await pass(1);
  expect(loader).toHaveBeenCalledTimes(1);
  for (let check = 2; check <= 12; check += 1) {
    await pass(10_000);
    expect(loader).toHaveBeenCalledTimes(check);
  }
});

describe("an error page", () => {
  const CONTACT = "If it happens again, contact support";

  test("with a request ID asks to include it", async () => {
    const { container } = await show(createElement(ErrorPage, { title: "Error", requestId: "r-1" }), waiting);
    expect(container.textContent).toContain(`${CONTACT} and include the request ID.Request ID: r-1`);
  });

  test("without one does not mention it", async () => {
    const { container } = await show(createElement(ErrorPage, { title: "Error", requestId: "" }), waiting);
    expect(container.textContent).toContain(`${CONTACT}.`);
    expect(container.textContent).not.toContain("request ID");
  });
});
