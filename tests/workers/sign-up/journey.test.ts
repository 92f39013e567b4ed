import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { fields, SECRET } from "../../support/person";
import { PLANS } from "../../support/plans";
import { readPage } from "../../support/visitors/page";
import { type Answer, pairsIn, type SiteVisitor } from "../../support/visitors/site-visitor";
import { startStack, startVisitedSite } from "../../support/visitors/visited-site";
import { enterCard, rows, stripeStateOf } from "../../support/visitors/visitor";

/*
 * Whole sign-ups over HTTP, without a script, through the built Workers. For the order of the steps and their texts, see
 * tests/unit/sign-up/.
 */

const STANDARD = `/subscription/${fields.package_id}`;
const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const SUCCESS = `Thank you for your subscription. Your ${TRIAL_DAYS} days trial period has been started.`;

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

/** A visitor who has sent the form of STANDARD, and the pages that follow, each opened by the one before. */
async function withCardStep() {
  const ada = cookieBrowser(stack.visitor);
  const posted = await ada.signUp(fields.package_id, { country: "germany" });
  const open = async (path: string) => readPage(await ada.get(path));
  return { ...ada, open, posted, card: await open(STANDARD) };
}

async function withTrial() {
  const ada = await withCardStep();
  await enterCard(stack.stripe.url, secretIn(ada.card));
  const back = await ada.get(returnPathIn(ada.card));
  return { ...ada, back, done: await ada.open(STANDARD) };
}

test("the form is step 1 of 2", async () => {
  const { document } = readPage(await cookieBrowser(stack.visitor).get(STANDARD));
  expect(document.title).toBe(`Sign up, step 1 of 2: details · ${company.name}`);
});

test("an accepted form leads to the card step at its plan's URL", async () => {
  const { posted, card } = await withCardStep();
  expect(posted).toRedirectTo(STANDARD);
  expect(card.document.title).toBe(`Sign up, step 2 of 2: card · ${company.name}`);
});

/** The statuses of a hundred requests, one after another. */
async function statusesOfHundred(send: () => Promise<{ status: number }>) {
  const statuses = new Set<number>();
  for (let count = 0; count < 100; count++) statuses.add((await send()).status);
  return [...statuses];
}

test("the site takes a hundred forms in a row from one machine", async () => {
  alone.upstream.answersJson(200, { client_secret: SECRET });
  expect(await statusesOfHundred(() => cookieBrowser(alone.visitor).signUp(fields.package_id))).toEqual([303]);
});

test("the API reads a hundred requests in a row from one machine", async () => {
  const headers = { "Content-Type": "application/json" };
  const send = () => fetch(`${stack.api.url}/subscription`, { method: "POST", headers, body: "{}" });
  expect(await statusesOfHundred(send)).toEqual([422]);
});

test("the API gets the country as a code for Stripe, and keeps it as it was typed", async () => {
  const { email } = await withCardStep();
  expect((await stripeStateOf(stack.stripe, email)).customers).toMatchObject([{ address: { country: "DE" } }]);
  expect(await signUpsOf(email)).toMatchObject([{ country: "germany" }]);
});

describe("the card step without a script says", () => {
  test.each([
    { what: "its step", says: "Step 2 of 2: cardComplete Your Subscription" },
    {
      what: "what to do, and that it costs nothing",
      says: `Please enter your card info for starting your ${TRIAL_DAYS} days free trial* You will not be charged immediately!`,
    },
    {
      what: "when the trial ends and what follows",
      says: `Your trial ends on ${dayOfTrial(TRIAL_DAYS)}. Unless you cancel before then, we’ll charge ${PLANS.STANDARD.charged} to your card on or after ${dayOfTrial(TRIAL_DAYS)}, and then every month until you cancel.`,
    },
    {
      what: "that it needs JavaScript",
      says: "You need JavaScript to enter a cardNothing is lost. Turn JavaScript on and open this page again, or continue on",
    },
    {
      what: "how to continue on another device",
      says: "Continue on another deviceScan the code or open the link within 30 minutes. Anyone with this link can finish",
    },
  ])("$what", async ({ says }) => {
    expect((await withCardStep()).card.words()).toContain(says);
  });

  test("no button that does nothing without a script", async () => {
    const { card } = await withCardStep();
    expect(card.wordsOfEach("main button:disabled, main button[type=button]")).toEqual([]);
  });

  test("who signs up", async () => {
    const { card, email } = await withCardStep();
    expect(card.words()).toContain(`Signing up Engines & Sons with ${email}. Edit details`);
  });

  test("once until when it is kept", async () => {
    const { card } = await withCardStep();
    const kept = /We'll keep this sign-up until \w+ \d+, \d+, \d\d:\d\d UTC\./g;
    expect(card.words().match(kept)).toHaveLength(1);
  });

  test("that the details are saved, once", async () => {
    const { card, open } = await withCardStep();
    expect(card).toShowNotice("Subscription Data Saved!", "Now proceeding to payment...");
    expect(await open(STANDARD)).not.toShowNotice("Subscription Data Saved!");
  });
});

test("another plan's form during a sign-up leads to the sign-up that still needs a card", async () => {
  const other = await (await withCardStep()).open(MINI);
  expect(other.words()).toContain(
    "Your STANDARD sign-up still needs a cardFinish it, or sign up for MINI or another plan below.",
  );
  expect(other.links("main .notice a")).toEqual([`Finish it: ${STANDARD}`]);
});

describe("after a card has been set up", () => {
  test("the return from the card leads to the success step, and the trial has begun", async () => {
    const { back, done, email } = await withTrial();
    expect(back).toRedirectTo(STANDARD);
    expect(done.document.title).toBe(`Subscription successful · ${company.name}`);
    expect(await signUpsOf(email)).toMatchObject([{ status: "trialing" }]);
  });

  test("both notices of a success are seen without a script", async () => {
    const { done } = await withTrial();
    expect(done).toShowNotice("Card Successful!", "Your card has been processed successfully.");
    expect(done).toShowNotice("subscription Successful!", "Your subscription has been completed successfully.");
    expect(done.wordsOfEach("main .invisible"), "seen with a script alone").toEqual([]);
  });

  test("the success step thanks, and says what follows", async () => {
    const { done, email } = await withTrial();
    expect(done.words()).toContain(SUCCESS);
    expect(done.words()).toContain(`A confirmation email with details and next steps will be sent to ${email}.`);
    expect(done.words()).toContain(`First payment${PLANS.STANDARD.charged}, on or after ${dayOfTrial(TRIAL_DAYS)}`);
    const headings = ["Subscription Successful!", "Subscription Details", "What's Next?"];
    expect(done.wordsOfEach("main h1, main h2")).toEqual(headings);
  });

  test("the success step has the days of the trial and its two buttons", async () => {
    const { done } = await withTrial();
    expect(done.words()).toContain(`Trial ends${dayOfTrial(TRIAL_DAYS)}`);
    expect(done.words()).toContain(`We’ll email you a reminder on ${dayOfTrial(3)}, 2 days before your trial ends.`);
    expect(done.wordsOfEach("main :is(button, .btn)")).toEqual([
      "Open the Customer Console",
      "Sign up another company",
    ]);
  });
});

describe("a card that Stripe is processing", () => {
  async function waitingPage() {
    alone.upstream.answersJson(200, { client_secret: SECRET, id: "seti_1Sentinel", status: "processing" });
    const browser = cookieBrowser(alone.visitor);
    await browser.signUp(fields.package_id);
    await browser.get(returnPathIn(await browser.get(STANDARD)));
    return readPage(await browser.get(STANDARD));
  }

  test("is waited for, with a button to check now", async () => {
    const { words, links } = await waitingPage();
    expect(words()).toContain("Your bank is still processing the card. This page checks automatically.");
    expect(links("main .btn")).toEqual([`Check now: ${STANDARD}`]);
  });

  test("is checked every few seconds by a page that refreshes itself without a script", async () => {
    expect((await waitingPage()).body).toMatch(/<noscript><meta http-equiv="refresh" content="(5|10)"/i);
  });
});
