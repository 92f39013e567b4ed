// @vitest-environment jsdom
import { act, createElement } from "react";
import { expect, test } from "vitest";
import * as z from "zod";
import { company, titleOf } from "../../../app/company";
import { counted } from "../../../app/contract/counted";
import { utcDay } from "../../../app/contract/dates";
import { trialEndOf } from "../../../app/contract/trial";
import { meta } from "../../../app/routes/subscription";
import { LINK_MINUTES } from "../../../app/signup/durations";
import * as server from "../../../app/signup/server/notices.server";
import { SignupPage } from "../../../app/signup/signup-page";
import type { CardStepData, DoneStepData, FormStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import { PLANS } from "../../support/plans";
import { OTHER_PLAN, PATH, PLAN, TERMS } from "../../support/site-in-process/site-settings";
import { cardStep, pass, renderedPages, resume, SITE, done as success, waiting } from "./rendered-page";
import { OTHER_TERMS } from "./sessions";

/* The words and links of each page of the sign-up. */

const show = renderedPages({ isTranslated: true });
const page = createElement(SignupPage);

const CUSTOM = "11111111-2222-4333-8444-555555555555";
const SALES = `mailto:${company.salesEmail}`;
const SUPPORT = `mailto:${company.supportEmail}`;
const busy: SignupStep = { step: "resume", state: "busy", currentPath: `/subscription/${OTHER_PLAN}` };
const expired: SignupStep = { step: "resume", state: "expired" };
const form = (more: Partial<FormStepData>): SignupStep => ({ step: "form", packageId: PLAN, ...more });
const card = (more: Partial<CardStepData>): SignupStep => ({ ...cardStep, ...more });
const done = (more: Partial<DoneStepData>): SignupStep => ({ ...success, details: undefined, ...more });
const unpriced = { ...TERMS, price_cents: undefined };
const editing: Partial<FormStepData> = { draft: { city: "Springfield" }, openPlan: PLAN };
const LINK_EXPIRED = `This link has expired. Links last ${counted(LINK_MINUTES, "minute")}. Get a new one where you started, or continue here.`;
const MISCONFIGURED = "Configuration ErrorPayment setup failed. Please contact support.Contact Support";

interface PageCase {
  page: string;
  step: SignupStep;
  reply?: SignupReply;
  says: string | string[];
  /** URLs of some of its links. */
  links?: string[];
  never?: string;
}

const PAGES: PageCase[] = [
  {
    page: "a link asks if the visitor wants to continue",
    step: resume,
    says: "This link leads to a sign-up that was started earlier. Continue only if it’s yours.Continue this sign-up",
  },
  {
    page: "a link leads to the sign-up that is already in progress in this browser",
    step: busy,
    says: "open the link on another device.Continue the current sign-up",
    links: [`/subscription/${OTHER_PLAN}`],
  },
  { page: "an expired link leads to the sign-up", step: expired, says: LINK_EXPIRED, links: ["/"] },
  {
    page: "a link's sign-up that is finished leads to the sign-up",
    step: resume,
    reply: { notice: server.SIGNUP_FINISHED, isOver: true },
    says: "You’ve already set up your card. There’s nothing left to do.Go to the sign-up",
    links: ["/"],
  },
  {
    page: "a canceled sign-up's form offers sales",
    step: form({ ended: server.SIGNUP_CANCELED }),
    says: "To try again, start a new sign-up with another card, or contact sales",
    links: [SALES, SUPPORT],
  },
  {
    page: "an expired sign-up's form says that nothing was charged",
    step: form({ ended: server.SESSION_EXPIRED }),
    says: "Your sign-up has endedNo card was added in time. You haven’t been charged. To sign up, fill in the form again.",
  },
  {
    page: "the form of a sign-up that could not be opened says who does not need it",
    step: form({ ended: server.SESSION_UNREADABLE }),
    says: "If you set up your card, you don’t need to sign up again.",
    links: [SUPPORT],
  },
  {
    page: "a form that edits the details says what is kept, and leads back to the card",
    step: form(editing),
    says: "still needs a cardWe kept your details but not your password. Enter it again to change them, or go back to the card.",
    links: [PATH],
  },
  {
    page: "another plan's form says what is kept, and leads back to the card",
    step: form({ ...editing, packageId: OTHER_PLAN }),
    says: `Finish it, or sign up for ${PLANS.MINI.title} below. We kept your details but not your password.`,
    links: [PATH],
  },
  {
    page: "an empty form leads to the sign-up that is already in progress",
    step: form({ openPlan: PLAN }),
    says: "Finish it, or sign up for STANDARD below.",
    links: [PATH],
  },
  {
    page: "a form that comes back beside a card step leads back to it, and has a request ID for support",
    step: cardStep,
    reply: { form: { initialValue: { package_id: PLAN } }, notice: server.SESSION_UNREADABLE, requestId: "r-1" },
    says: ["Your STANDARD sign-up still needs a card", "Contact SupportRequest ID: r-1"],
    links: [PATH],
  },
  {
    page: "a used card's step offers sales",
    step: card({ flash: "card used" }),
    says: "Payment FailedThis card has already been used for a free trial.",
    links: [SALES],
  },
  {
    page: "a secret that Stripe does not know is a wrong configuration",
    step: card({ flash: "unknown" }),
    says: `${MISCONFIGURED}Request ID: the-first-request`,
    links: [SUPPORT],
  },
  {
    page: "a missing publishable key is a wrong configuration",
    step: card({ publishableKey: "" }),
    says: MISCONFIGURED,
  },
  {
    page: "the card step has the terms that the visitor agreed to, and leads to the customer portal",
    step: card({ terms: OTHER_TERMS }),
    says: [
      "we’ll charge $450.00 USD plus any tax to your card",
      "starting your 9 days free trial",
      "9-day free trial, then $450 a month",
      "Change planYou’ll go back to the form, where your details",
    ],
    links: [SITE.customerPortalUrl],
  },
  {
    page: "a page whose card is processed says so",
    step: { ...waiting, reason: "processing" },
    says: "Your bank is still processing the card. This page checks automatically.",
  },
  {
    page: "a page that waits says that nothing is lost",
    step: waiting,
    says: "We haven’t been able to confirm your card yet. Nothing is lost. This page checks automatically.",
    links: ["/?resume=x"],
  },
  {
    page: "a success has the agreed terms, its request ID and, without details, no address",
    step: done({ terms: OTHER_TERMS }),
    says: [
      "sent to the address that you entered.",
      "include this request ID: the-first-request",
      "First payment$450.00 USD plus any tax, on or after",
      "Your 9 days trial period has been started.",
      `Trial ends${utcDay(trialEndOf(success.startedAt, OTHER_TERMS.trial_days))}`,
    ],
    links: [SITE.consoleUrl],
  },
  {
    page: "a success of a plan of an unknown price promises a reminder",
    step: done({ packageId: CUSTOM, terms: unpriced, details: success.details }),
    says: ["We’ll email you a reminder", "will be sent to ada@example.com"],
    never: "chosen a plan",
  },
  {
    page: "a success without a plan says how to choose one",
    step: done({ packageId: "", terms: unpriced }),
    says: "You haven’t chosen a plan yet, so you won’t be charged. Compare plans, then tell support",
    links: ["/pricing"],
    never: "email you a reminder",
  },
  {
    page: "a form that comes back after its sign-up's end does not lead back to the card",
    step: form({ openPlan: PLAN }),
    reply: { form: { initialValue: { package_id: PLAN } }, isOver: true },
    says: "Subscription Information",
    never: "still needs a card",
  },
];

test.each(PAGES.map((row, index) => ({ ...row, before: PAGES[index - 1]?.step ?? row.step })))(
  "$page",
  async ({ before, step, reply, says, links = [], never = "no such words" }) => {
    // Comes from the table's last page, whose translated words would stay where React cannot change them.
    const { container, loader } = await show(page, reply ? step : before, reply);
    loader.mockReturnValue(step);
    await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
    for (const sentence of [says].flat()) expect(container.textContent).toContain(sentence);
    expect(container.textContent).not.toContain(never);
    const hrefs = [...container.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(hrefs).toEqual(expect.arrayContaining(links));
  },
);

test.each([
  { at: `${PATH}?return=a-token`, becomes: "?return=a-token&seen" },
  { at: PATH, becomes: "" },
])("a success whose two notices were shown remembers that in a URL with a token: $at", async ({ at, becomes }) => {
  await show(page, done({ flash: "saved" }), undefined, { at });
  await pass(2_500);
  expect(location.search).toBe(becomes);
});

const metaArguments = z.custom<Parameters<typeof meta>[0]>();

test.each([
  { title: "Sign up, step 2 of 2: card", step: "waiting" },
  { title: "Error: Sign up, step 1 of 2: details", step: "form", failed: true },
  { title: "Continue your sign-up", step: "resume" },
  { title: "Error: Sign up, step 1 of 2: details", step: "card", failed: true },
  { title: "Error: Sign up, step 2 of 2: card", step: "card", failed: true, search: "?start-over" },
])('the title is "$title" at the step $step, after the query "$search"', ({ title, search = "", ...data }) => {
  expect(meta(metaArguments.parse({ data, location: { search } }))).toContainEqual({ title: titleOf(title) });
});
