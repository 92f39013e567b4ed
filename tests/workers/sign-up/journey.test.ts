import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { fields, SECRET } from "../../support/person";
import { readPage } from "../../support/visitors/page";
import { type Answer, pairsIn, type SiteVisitor } from "../../support/visitors/site-visitor";
import { startStack, startVisitedSite } from "../../support/visitors/visited-site";
import { enterCard, rows, stripeStateOf } from "../../support/visitors/visitor";

/*
 * Whole sign-ups over HTTP, without a script, through the built Workers. Which step follows on which, and all that each
 * says, is in tests/unit/sign-up/.
 */

const STANDARD = `/subscription/${fields.package_id}`;
const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const SUCCESS = "Thank you for your subscription. Your 5 days trial period has been started.";

const stack = await startStack();
const alone = await startVisitedSite();
afterAll(() => Promise.all([stack.dispose(), alone.dispose()]));

const signUpsOf = (email: string) => rows(stack.api, "SELECT * FROM sign_ups WHERE email = ?", email);
/** Where the card step's script goes after a card's setup. */
const returnPathIn = ({ body }: Answer) => /\\"returnPath\\",\\"([^"\\]+)/.exec(body)?.[1] ?? "";
const secretIn = ({ body }: Answer) => /seti_\w+_secret_\w+/.exec(body)?.[0];

/** A browser without scripts: keeps cookies and sends them. */
function cookieBrowser(visitor: SiteVisitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const jar = new Map<string, string>();
  const keep = (answer: Answer) => {
    for (const pair of pairsIn(answer.headers)) jar.set(pair.split("=")[0] ?? "", pair);
    return answer;
  };
  /** A cookie without a value has been deleted. */
  const headers = () => ({ Cookie: [...jar.values()].filter((pair) => /=./.test(pair)).join("; ") });
  const get = async (path: string) => keep(await visitor.get(path, headers()));
  return {
    email,
    get,
    /** Opens the form of a plan, fills it in and sends it. */
    async signUp(plan: string, change: Record<string, string> = {}) {
      await get(`/subscription/${plan}`);
      const form = { email, package_id: plan, ...change };
      return keep(await visitor.submit(form, headers(), `/subscription/${plan}`));
    },
  };
}

/** A day of a trial that starts today, such as `November 24, 2026 (UTC)`. */
function dayOfTrial(days: number) {
  const date = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  return `${date.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`;
}

test("a sign-up goes from the form by way of the card to a success that stays", async () => {
  const ada = cookieBrowser(stack.visitor);
  const at = async (path: string) => readPage(await ada.get(path));
  expect((await at(STANDARD)).document.title).toBe(`Sign up, step 1 of 2: details · ${company.name}`);
  const posted = await ada.signUp(fields.package_id, { country: "germany" });
  expect([posted.status, posted.headers.get("Location")]).toEqual([303, STANDARD]);

  const card = await at(STANDARD);
  expect(card.document.title).toBe(`Sign up, step 2 of 2: card · ${company.name}`);
  const charge = `we’ll charge $500.00 USD to your card on or after ${dayOfTrial(5)}, and then every month until you cancel`;
  for (const words of [
    "Step 2 of 2: cardComplete Your Subscription",
    "Subscription Data Saved!Now proceeding to payment...",
    "Please enter your card info for starting your 5 days free trial* You will not be charged immediately!",
    `Your trial ends on ${dayOfTrial(5)}. Unless you cancel before then, ${charge}.`,
    "You need JavaScript to enter a cardNothing is lost. Turn JavaScript on and open this page again, or continue on",
    `Signing up Engines & Sons with ${ada.email}. Edit details`,
    "Continue on another deviceScan the code or open the link within 30 minutes. Anyone with this link can finish",
  ])
    expect(card.words()).toContain(words);
  expect(card.words().match(/We'll keep this sign-up until \w+ \d+, \d+ at [\d:]+ [AP]M \(UTC\)\./g)).toHaveLength(1);
  expect((await at(STANDARD)).words()).not.toContain("Subscription Data Saved!");
  expect((await stripeStateOf(stack.stripe, ada.email)).customers).toMatchObject([{ address: { country: "DE" } }]);

  const other = await at(MINI);
  expect(other.words()).toContain("Your STANDARD sign-up still needs a cardFinish it, or sign up for MINI below.");
  expect(other.links("main .notice a")).toEqual([["Finish it", STANDARD]]);
  for (const [name, value] of Object.entries({ email: ada.email, phone: "(212) 555-0123", zipCode: "62701" }))
    expect(other.each(`[name=${name}]`, "value")).toEqual([value]);

  await enterCard(stack.stripe.url, secretIn(card));
  const back = await ada.get(returnPathIn(card));
  expect([back.status, back.headers.get("Location")]).toEqual([303, STANDARD]);
  const done = await at(STANDARD);
  expect(done.document.title).toBe(`Subscription successful · ${company.name}`);
  for (const words of [
    "Card Successful!Your card has been processed successfully.",
    "subscription Successful!Your subscription has been completed successfully.",
    SUCCESS,
    `A confirmation email with details and next steps will be sent to ${ada.email}.`,
    `First payment$500.00 USD, on or after ${dayOfTrial(5)}`,
  ])
    expect(done.words()).toContain(words);
  expect(done.wordsOfEach("main .invisible"), "seen with a script alone").toEqual([]);
  const headings = ["Subscription Successful!", "Subscription Details", "What's Next?"];
  expect(done.wordsOfEach("main h1, main h2")).toEqual(headings);
  expect(done.wordsOfEach(".timeline strong")).toEqual([dayOfTrial(0), dayOfTrial(3), dayOfTrial(5)]);
  expect(done.wordsOfEach("main :is(button, .btn)")).toEqual(["Open the Customer Console", "Sign up another company"]);
  const reloaded = await at("/subscription");
  expect(reloaded.words()).toContain(SUCCESS);
  expect([secretIn(reloaded), reloaded.words().includes("Card Successful!")]).toEqual([undefined, false]);
  expect((await at(MINI)).words()).not.toContain(SUCCESS);
  expect(await signUpsOf(ada.email)).toMatchObject([{ status: "trialing", country: "germany" }]);
});

test("a card that Stripe is processing is waited for by a page that refreshes itself", async () => {
  alone.upstream.answersJson(200, { client_secret: SECRET, id: "seti_1Sentinel", status: "processing" });
  const browser = cookieBrowser(alone.visitor);
  await browser.signUp(fields.package_id);
  await browser.get(returnPathIn(await browser.get(STANDARD)));
  const { words, links, body } = readPage(await browser.get(STANDARD));
  expect(words()).toContain("Your bank is still processing the card. This page checks automatically.");
  expect(links("main .btn")).toEqual([["Check now", STANDARD]]);
  expect(body).toMatch(/<noscript><meta http-equiv="refresh" content="(5|10)"/i);
});
