import type { Page } from "@playwright/test";
import { expectPageColors } from "../browser/support/card-colors";
import { signup } from "../browser/support/sign-up";
import { expect, test as testWithStack } from "../browser/support/stack";
import { recordStripeJs } from "../browser/support/stripe-js-recorder";
import { confirm, newIntent } from "../stripe-facts/facts/situations";
import { SIMULATED } from "../stripe-facts/simulator-world";
import { ANSWERS } from "../stripe-facts/stripe-js";
import { connect } from "../stripe-facts/world";
import { startVisitedSite } from "../support/visitors/visited-site";

/*
 * The card step with Stripe.js in Chromium. With a test key in STRIPE_PUBLISHABLE_KEY and STRIPE_SECRET_KEY it is the real one
 * (`npm run test:stripe`), else the simulator's.
 */

const { STRIPE_SECRET_KEY: secretKey = "", STRIPE_PUBLISHABLE_KEY: publishableKey = "", STRIPE_API_URL } = process.env;
const isReal = secretKey !== "" && publishableKey !== "";
if (isReal && !(secretKey.includes("_test_") && publishableKey.startsWith("pk_test_"))) {
  throw new Error("STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be test keys.");
}

const STRIPE = "https://api.stripe.com";

/** A site whose API gives out the setup intents that a test makes. */
async function startCardStep(simulatorUrl: string) {
  const url = isReal ? (STRIPE_API_URL ?? STRIPE) : simulatorUrl;
  const { removeAll, ...world } = connect({
    ...SIMULATED,
    url,
    ...(isReal && { secretKey, publishableKey, perSecond: 20 }),
  });
  const vars = {
    // Empty settings mean Stripe itself.
    ...(url === STRIPE
      ? { STRIPE_API_URL: "", STRIPE_JS_URL: "" }
      : { STRIPE_API_URL: url, STRIPE_JS_URL: `${url}/endive/stripe.js` }),
    STRIPE_PUBLISHABLE_KEY: isReal ? publishableKey : SIMULATED.publishableKey,
  };
  const { site, upstream, dispose } = await startVisitedSite({ vars });
  return {
    site,
    /** Gives an open setup intent. Returns what happens to it once the site has shown the card step, for which it asks Stripe. */
    async give(setup: "open" | "canceled" | "succeeded") {
      const { id, client_secret } = await newIntent(world);
      upstream.answersJson(200, { client_secret });
      return async () => {
        if (setup === "canceled") await world.stripe.setupIntents.cancel(id);
        if (setup === "succeeded") await confirm(world, id, "pm_card_visa");
      };
    },
    async end() {
      await dispose();
      expect(await removeAll(), "what is left at Stripe").toEqual([]);
    },
  };
}

type CardStep = Awaited<ReturnType<typeof startCardStep>>;

const test = testWithStack.extend<object, { cardStep: CardStep }>({
  cardStep: [
    async ({ stack }, provide) => {
      const cardStep = await startCardStep(stack.stripe.url);
      await provide(cardStep);
      await cardStep.end();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ cardStep }, provide) => provide(cardStep.site.url),
});

// One site is enough for all.
test.describe.configure({ mode: "default" });

for (const { situation, setup, card, says, shows } of ANSWERS) {
  test(situation, async ({ page, cardStep }) => {
    const change = await cardStep.give(setup);
    const { said } = await recordStripeJs(page, change);
    const visitor = signup(page);
    await visitor.signUp();
    if (card) await visitor.pay(card.number);
    if (card?.bank) await answerBank(page, card.bank);
    await expect(page.getByText(shows).first()).toBeVisible();
    expect((await said()).slice(0, says.length)).toMatchObject(says);
  });
}

test("the real fields have the page's colors, dark and light", async ({ page, cardStep }) => {
  test.skip(!isReal, "tests/browser/card.spec.ts has it for the simulator's fields");
  await cardStep.give("open");
  await expectPageColors(page);
});

/** Presses a button of the bank's page, which is in a frame of a frame. */
async function answerBank(page: Page, answer: "complete" | "fail"): Promise<void> {
  const button = () => page.frames().map((frame) => frame.getByRole("button", { name: new RegExp(answer, "i") }));
  await expect
    .poll(async () => {
      for (const one of button()) if ((await one.count()) === 1) return one.click().then(() => true);
      return false;
    })
    .toBe(true);
}
