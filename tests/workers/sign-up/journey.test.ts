import { afterAll, beforeEach, expect, test } from "vitest";
import { company } from "../../../app/company";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { fields, SECRET } from "../../support/person";
import { PLANS } from "../../support/plans";
import { cookieBrowser, returnPathIn, secretIn } from "../../support/visitors/cookie-browser";
import { readPage } from "../../support/visitors/page";
import { startPlainStack, startStack, startVisitedSite } from "../../support/visitors/visited-site";
import { enterCard, rows, stripeStateOf } from "../../support/visitors/visitor";

/* Whole sign-ups over HTTP, without a script, through the built Workers. Steps and texts are in tests/unit/sign-up/. */

const STANDARD = signUpPath(fields.package_id);

const stack = await startStack();
const alone = await startVisitedSite();
/* The API in here knows the specification, and nothing of the reference API. */
const plain = await startPlainStack();
beforeEach(() => plain.api.refuse(undefined));
afterAll(() => Promise.all([stack, alone, plain].map(({ dispose }) => dispose())));

const signUpsOf = (email: string) => rows(stack.api, "SELECT * FROM sign_ups WHERE email = ?", email);

/** The statuses of a hundred requests, one after another. */
async function statusesOfHundred(send: () => Promise<{ status: number }>) {
  const statuses = new Set<number>();
  for (let count = 0; count < 100; count++) statuses.add((await send()).status);
  return [...statuses];
}

test("the site takes a hundred forms in a row from one machine, and the API reads as many", async () => {
  alone.upstream.answersJson(200, { client_secret: SECRET });
  expect(await statusesOfHundred(() => cookieBrowser(alone.visitor).signUp(fields.package_id))).toEqual([303]);
  const form = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  expect(await statusesOfHundred(() => fetch(`${stack.api.url}/subscription`, form))).toEqual([422]);
});

test("a form leads to the card step, which works as far as it can, and the return from the card to the success", async () => {
  const ada = cookieBrowser(stack.visitor);
  const open = async () => readPage(await ada.get(STANDARD));
  expect(await ada.signUp(fields.package_id, { country: "germany" })).toRedirectTo(STANDARD);
  expect((await stripeStateOf(stack.stripe, ada.email)).customers).toMatchObject([{ address: { country: "DE" } }]);
  expect(await signUpsOf(ada.email)).toMatchObject([{ country: "germany", status: "pending" }]);

  const card = await open();
  expect(card.document.title).toBe(`Sign up, step 2 of 2: card · ${company.name}`);
  for (const says of [
    `Please enter your card info for starting your ${TRIAL_DAYS} days free trial* You will not be charged immediately!`,
    "You need JavaScript to enter a cardNothing is lost. Turn JavaScript on and open this page again, or continue on",
    `Signing up ${fields.company_name} with ${ada.email}. Edit details`,
  ])
    expect(card.words()).toContain(says);
  expect(card.words().match(/We’ll keep this sign-up until \w+ \d+, \d+, \d\d:\d\d UTC\./g)).toHaveLength(1);
  expect(card.wordsOfEach("main button:disabled, main button[type=button]"), "buttons that do nothing").toEqual([]);
  expect(card).toShowNotice("Subscription Data Saved!", "Now proceeding to payment...");
  expect(await open(), "opened again").not.toShowNotice("Subscription Data Saved!");

  await enterCard(stack.stripe.url, secretIn(card));
  expect(await ada.get(returnPathIn(card))).toRedirectTo(STANDARD);
  expect(await signUpsOf(ada.email)).toMatchObject([{ status: "trialing" }]);
  const done = await open();
  expect(done.document.title).toBe(`Subscription successful · ${company.name}`);
  expect(done).toShowNotice("Card Successful!", "Your card has been processed successfully.");
  expect(done).toShowNotice("subscription Successful!", "Your subscription has been completed successfully.");
  expect(done.wordsOfEach("main .invisible"), "seen with a script alone").toEqual([]);
  expect(done.words()).toContain(
    `Thank you for your subscription. Your ${TRIAL_DAYS} days trial period has been started.`,
  );
  const headings = ["Subscription Successful!", "What's Next?", "Subscription Details"];
  expect(done.wordsOfEach("main h1, main h2")).toEqual(headings);
  expect(done.wordsOfEach("main :is(button, .btn)")).toEqual(["Open the Customer Console", "Sign up another company"]);
});

test("a card that Stripe is processing is waited for, by a page that refreshes itself without a script", async () => {
  alone.upstream.answersJson(200, { client_secret: SECRET, id: "seti_1Sentinel", status: "processing" });
  const browser = cookieBrowser(alone.visitor);
  await browser.signUp(fields.package_id);
  await browser.get(returnPathIn(await browser.get(STANDARD)));
  const { words, links, body } = readPage(await browser.get(STANDARD));
  expect(words()).toContain("Your bank is still processing the card. This page checks automatically.");
  expect(links("main .btn")).toEqual([`Check now: ${STANDARD}`]);
  expect(body).toMatch(/<noscript><meta http-equiv="refresh" content="(5|10)"/i);
});

const UNLISTED = "11111111-2222-4333-8444-555555555555";

/** What only the reference API does. */
const PROMISES =
  /remind|portal|every email|Confirm my email|declined card|more card|plan, you pay nothing|won’t be charged\b(?! for this)|scrypt|keyed hash|deleted|invoices there/i;

test.each([
  { what: "a listed plan", plan: fields.package_id, price: `${PLANS.STANDARD.charged}, on or after` },
  { what: "an unlisted plan", plan: UNLISTED, price: undefined },
  { what: "no plan", plan: "", price: undefined },
])("the form of $what leads to card and success, with one call and no promise of the reference API", async (row) => {
  const { plan, price } = row;
  const ada = cookieBrowser(plain.visitor);
  expect(await ada.signUp(plan)).toRedirectTo(signUpPath(plan));
  const step = await ada.get(signUpPath(plan));
  const card = readPage(step).words();
  expect(card.includes("we’ll charge $")).toBe(price !== undefined);
  await enterCard(plain.stripe.url, secretIn(step));
  expect(await ada.get(returnPathIn(step))).toRedirectTo(signUpPath(plan));
  const done = readPage(await ada.get(signUpPath(plan)));
  expect(done.words("h1")).toBe("Subscription Successful!");
  expect(done.words()).toContain(`Your ${TRIAL_DAYS} days trial period has been started.`);
  expect(done.words()).toContain(`A confirmation email with details and next steps will be sent to ${ada.email}`);
  expect(done.words()).toContain(price ?? "");
  expect(done.words().includes("$")).toBe(price !== undefined);
  expect(card + done.words()).not.toMatch(PROMISES);
  expect(plain.api.posts).toMatchObject([{ email: ada.email, ...(plan && { package_id: plan }) }]);
});

test("an API that is unavailable is called once, because it may not know the form's key", async () => {
  plain.api.refuse(503);
  const form = readPage(await cookieBrowser(plain.visitor).signUp(fields.package_id));
  expect(form).toShowNotice("Submission Failed", "Service temporarily unavailable. Please try again later.");
  expect(plain.api.posts).toHaveLength(1);
});

/** The privacy policy says what the company itself does, whatever the API. */
const PAGES = PUBLIC_PATHS.filter((path) => path !== "/privacy");
const OTHERS = ["/llms.txt", "/pricing.md", signUpPath(""), STANDARD];

test.each([...PAGES, ...OTHERS])("%s promises nothing of the reference API", async (path) => {
  const answer = await plain.visitor.get(path);
  expect(path.includes(".") ? answer.text : readPage(answer).words()).not.toMatch(PROMISES);
});
