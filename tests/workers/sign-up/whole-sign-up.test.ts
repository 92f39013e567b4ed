import { afterAll, describe, expect, test } from "vitest";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { type Answer, fields, logged, nonceIn } from "../../support/visitors/site-visitor";
import { startStack, startVisitedSite } from "../../support/visitors/visited-site";
import { enterCard, rows, stripeStateOf } from "../../support/visitors/visitor";
import { answersWith, type Behavior, neverAnswers } from "../../support/workers/upstream";

/*
 * The site before the reference API and the simulator: what each step says, and what API and Stripe know then. Which step
 * follows on which is in tests/unit/signup/session/.
 */

const STANDARD = `/subscription/${fields.package_id}`;
const MINI_ID = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const MINI = `/subscription/${MINI_ID}`;
const CARD = "Please enter your card info for starting your 5 days free trial";
const SUCCESS = "Your 5 days trial period has been started.";

const stack = await startStack();
const late = await startVisitedSite({ vars: { SUBSCRIPTION_API_TIMEOUT_MS: "3000", DEADLINE_FACTOR: "1" } });
afterAll(() => Promise.all([stack.dispose(), late.dispose()]));

async function signedUp(plan: string = MINI_ID, change: Record<string, string> = {}) {
  const browser = cookieBrowser(stack.visitor);
  await browser.signUp(plan, change);
  return browser;
}

/**
 * Passes calls on to an API, so that the work is done, and answers as the API does or fails.
 * @param target the API's origin
 */
function passesOnTo(target: string, then?: Behavior): Behavior {
  return async (response, call) => {
    const answer = await fetch(target + call.url, {
      method: call.method,
      headers: {
        "Content-Type": call.headers["content-type"] ?? "",
        "Idempotency-Key": String(call.headers["idempotency-key"]),
        // One that waits in a pool may be closed just when it is used again.
        Connection: "close",
      },
      body: call.body,
    });
    const body = await answer.text();
    return (then ?? answersWith(answer.status, body))(response, call);
  };
}

const signUpsOf = (email: string) =>
  rows(stack.api, "SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at", email);
const wordsOf = ({ text }: Answer) => text.replace(/<[^>]+>/g, "");
const secretIn = ({ body }: Answer) => /seti_\w+_secret_\w+/.exec(body)?.[0];

describe("one form, sent twice", () => {
  test("after the API accepted it too late is one sign-up with one client_secret [C9]", async () => {
    const { visitor, upstream } = late;
    const { answers, calls } = upstream;
    const form = { email: "late@example.com", form_nonce: await visitor.nonce() };
    answers(passesOnTo(stack.api.url, neverAnswers));
    const first = await visitor.submit(form);
    expect([first.status, nonceIn(first)]).toEqual([504, form.form_nonce]);
    const keys = calls.map(({ headers }) => headers["idempotency-key"]);

    answers(passesOnTo(stack.api.url));
    const retries = [await visitor.submit(form), await visitor.submit(form)];
    expect(retries.map(({ status }) => status)).toEqual([303, 303]);
    keys.push(...calls.map(({ headers }) => headers["idempotency-key"]));
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    const secrets = await Promise.all(
      retries.map(async ({ cookie: Cookie }) => secretIn(await visitor.get("/subscription", { Cookie }))),
    );
    expect(secrets[0]).toMatch(/^seti_/);
    expect(secrets[1]).toBe(secrets[0]);
    expect(await signUpsOf(form.email)).toHaveLength(1);
  });
});

test("the card step and Stripe's customer have the country code, the API the typed country [N7]", async () => {
  const ada = await signedUp(MINI_ID, { country: "deutschland" });
  expect((await ada.get(MINI)).body).toMatch(/countryCode\W+DE\b/);
  const { customers } = await stripeStateOf(stack.stripe, ada.email);
  expect(customers).toMatchObject([{ address: { city: "Springfield", postal_code: "62701", country: "DE" } }]);
  expect(await signUpsOf(ada.email)).toMatchObject([{ country: "deutschland" }]);
});

test("thirty sign-ups in a row all reach the card step with the limits of wrangler.toml [F1]", async () => {
  for (let index = 0; index < 30; index += 1) expect((await signedUp()).cookie()).toMatch(/^signup=/);
});

describe("the sign-up's steps", () => {
  test("the URL's plan is used; the sign-up for another plan is offered, and the typed values are kept [S17]", async () => {
    const ada = await signedUp(fields.package_id);
    const { text } = await ada.get(MINI);
    expect(text).toContain("You started a STANDARD sign-up");
    expect(text).toContain(`href="${STANDARD}"`);
    expect(text).toContain("Subscription Information");
    expect(text).not.toContain(CARD);
    for (const typed of ["Ada Lovelace", ada.email, "(212) 555-0123", "1 Example Street", "62701"])
      expect(text).toContain(`value="${typed}"`);
    expect(text).not.toContain(fields.password);
    expect((await ada.get(STANDARD)).text).toContain(CARD);
  });

  test("each step names itself; the card step shows the end of the trial and the charge [S24]", async () => {
    const ada = cookieBrowser(stack.visitor);
    const form = await ada.get(MINI);
    expect(form.text).toContain("Step 1 of 2: details");
    expect(form.body).toContain("<title>Sign up, step 1 of 2: details · Citewell</title>");
    await ada.signUp(MINI_ID);
    const card = await ada.get(MINI);
    expect(card.text).toContain("Subscription Data Saved!");
    expect(card.text).toContain("Step 2 of 2: card");
    expect(card.body).toContain("<title>Sign up, step 2 of 2: card · Citewell</title>");
    const end = new Date(Date.now() + 5 * 24 * 60 * 60 * 1000);
    const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
    expect(wordsOf(card)).toContain(
      `Your trial ends on ${day} (UTC). Unless you cancel before then, we’ll charge $100.00 USD to your card on or after ${day} (UTC), and then every month until you cancel. To cancel, open the customer portal;`,
    );
    expect(card.body).toMatch(/<a href="http:\/\/localhost:8789\/p\/login\/test"[^>]*>customer portal</);
  });

  test("'Edit details' opens the form with its values except the passwords; its sign-up replaces the first [S18] [S20]", async () => {
    const ada = await signedUp();
    const secret = await ada.clientSecret(MINI_ID);
    await ada.post("intent=edit", MINI);
    const form = await ada.get(MINI);
    const typed = { ...fields, email: ada.email };
    for (const name of ["full_name", "company_name", "email", "address", "city", "state", "zipCode"] as const) {
      const input = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(form.text)?.[0] ?? "";
      expect(input, name).toContain(`value="${typed[name]}"`);
    }
    expect(form.text).not.toContain(fields.password);
    await ada.send({ package_id: MINI_ID, form_nonce: nonceIn(form), company_name: "Difference Engines" });
    expect(await signUpsOf(ada.email)).toMatchObject([
      { status: "ended", company_name: "Engines & Sons" },
      { status: "pending", company_name: "Difference Engines" },
    ]);
    // The card of the sign-up that was given up cannot be set up any more.
    expect((await enterCard(stack.stripe.url, secret)).status).toBe(400);
  });

  test("the success names its own plan, and shows its message once [S16] [S21] [T5]", async () => {
    const ada = await signedUp(fields.package_id);
    await enterCard(stack.stripe.url, await ada.clientSecret(fields.package_id));
    await ada.post("intent=card-set-up", STANDARD);
    const { text, body } = await ada.get(STANDARD);
    expect(text).toContain(SUCCESS);
    expect(body).toContain("To cancel, change your card or see your invoices, log in to the");
    expect(body).toContain('href="http://localhost:8789/p/login/test"');
    for (const detail of ["Engines & Sons", "(212) 555-0123", "STANDARD, $500 a month", "Visa ending in 4242"]) {
      expect(text).toContain(detail);
    }
    expect(text.indexOf("Card Successful!")).toBeLessThan(text.indexOf("subscription Successful!"));
    expect((await ada.get(MINI)).text).not.toContain(SUCCESS);
    const reloaded = await ada.get("/subscription");
    expect(reloaded.text).toContain(SUCCESS);
    expect(reloaded.text).not.toContain("Card Successful!");
    expect(secretIn(reloaded)).toBeUndefined();
  });
});

test("a client_secret is in no log of the site [F5]", async () => {
  expect(logged(stack.site)).not.toMatch(/_secret_|\/status\//);
});
