import { afterAll, beforeEach, expect, test } from "vitest";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { fields } from "../../support/person";
import { PLANS } from "../../support/plans";
import { cookieBrowser, returnPathIn, secretIn } from "../../support/visitors/cookie-browser";
import { readPage } from "../../support/visitors/page";
import type { Answer } from "../../support/visitors/site-visitor";
import { startPlainStack } from "../../support/visitors/visited-site";
import { enterCard } from "../../support/visitors/visitor";

/* The journeys of a visitor without scripts, in front of an API that knows the specification and nothing of the reference API. */

const { api, stripe, visitor, dispose } = await startPlainStack();
afterAll(dispose);
beforeEach(() => api.refuse(undefined));

const STANDARD = fields.package_id;
const UNLISTED = "11111111-2222-4333-8444-555555555555";

/** What only the reference API does. */
const PROMISES =
  /remind|portal|every email|Confirm my email|declined card|more card|plan, you pay nothing|won’t be charged\b(?! for this)|scrypt|keyed hash|deleted|invoices there/i;

/** A visitor who has sent the form of a plan. */
async function signedUp(plan: string) {
  const ada = cookieBrowser(visitor);
  const posted = await ada.signUp(plan);
  return { ...ada, posted, card: await ada.get(signUpPath(plan)) };
}

/** Enters a card on a card step, and returns as its script does. */
async function pay(ada: ReturnType<typeof cookieBrowser>, card: Answer): Promise<Answer> {
  await enterCard(stripe.url, secretIn(card));
  const back = await ada.get(returnPathIn(card));
  return ada.get(back.headers.get("Location") ?? "");
}

test.each([
  { what: "a listed plan", plan: STANDARD, price: `${PLANS.STANDARD.charged}, on or after` },
  { what: "an unlisted plan", plan: UNLISTED, price: undefined },
  { what: "no plan", plan: "", price: undefined },
])(
  "the form of $what leads to the card and to the success, with one call, and promises nothing of the reference API",
  async ({ plan, price }) => {
    const ada = await signedUp(plan);
    const card = readPage(ada.card).words();
    expect(card.includes("we’ll charge $")).toBe(price !== undefined);
    expect(ada.posted).toRedirectTo(signUpPath(plan));
    const done = readPage(await pay(ada, ada.card));
    expect(done.words("h1")).toBe("Subscription Successful!");
    expect(done.words()).toContain(`Your ${TRIAL_DAYS} days trial period has been started.`);
    expect(done.words()).toContain(`A confirmation email with details and next steps will be sent to ${ada.email}`);
    expect(done.words()).toContain(price ?? "");
    expect(done.words().includes("$")).toBe(price !== undefined);
    expect(card + done.words()).not.toMatch(PROMISES);
    expect(api.posts).toMatchObject([{ email: ada.email, ...(plan && { package_id: plan }) }]);
  },
);

test("an API that is unavailable is called once, because it may not know the form's key", async () => {
  api.refuse(503);
  const form = readPage(await cookieBrowser(visitor).signUp(STANDARD));
  expect(form).toShowNotice("Submission Failed", "Service temporarily unavailable. Please try again later.");
  expect(api.posts).toHaveLength(1);
});

/** The privacy policy says what the company itself does, whatever the API. */
const PAGES = PUBLIC_PATHS.filter((path) => path !== "/privacy");
test.each([...PAGES, "/llms.txt", "/pricing.md", signUpPath(""), signUpPath(STANDARD)])(
  "%s promises nothing of the reference API",
  async (path) => {
    const answer = await visitor.get(path);
    expect(path.includes(".") ? answer.text : readPage(answer).words()).not.toMatch(PROMISES);
  },
);
