import { afterAll, describe, expect, test } from "vitest";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { readPage } from "../../support/visitors/page";
import { type Answer, fields, PASSWORD, returnPathIn, SECRET, siteVisitor } from "../../support/visitors/site-visitor";
import { startStack, startVisitedSite } from "../../support/visitors/visited-site";
import { enterCard, rows, stripeStateOf } from "../../support/visitors/visitor";
import { answersWith, type Behavior, neverAnswers } from "../../support/workers/upstream";
import { startSite } from "../../support/workers/workers";

/*
 * Whole sign-ups over HTTP, without a script, through the built Workers: what each step says, and what API and Stripe know
 * then. Which step follows on which is in tests/unit/sign-up/.
 */

const STANDARD = `/subscription/${fields.package_id}`;
const MINI_ID = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const MINI = `/subscription/${MINI_ID}`;
const CARD = "Please enter your card info for starting your 5 days free trial";
const SUCCESS = "Your 5 days trial period has been started.";

const stack = await startStack();
const late = await startVisitedSite({ vars: { SUBSCRIPTION_API_TIMEOUT_MS: "3000", DEADLINE_FACTOR: "1" } });
afterAll(() => Promise.all([stack.dispose(), late.dispose()]));

async function signedUp(plan: string, change: Record<string, string> = {}) {
  const browser = cookieBrowser(stack.visitor);
  await browser.signUp(plan, change);
  return browser;
}

const signUpsOf = (email: string) => rows(stack.api, "SELECT * FROM sign_ups WHERE email = ?", email);
const wordsOf = ({ text }: Answer) => text.replace(/<[^>]+>/g, "");
const secretIn = ({ body }: Answer) => /seti_\w+_secret_\w+/.exec(body)?.[0];
const linkIn = ({ text }: Answer) => {
  const { pathname, search } = new URL(/href="(https?:[^"]+\?resume=[^"]+)"/.exec(text)?.[1] ?? "");
  return pathname + search;
};

test("a sign-up goes from the form by way of the card to a success that stays", async () => {
  const ada = cookieBrowser(stack.visitor);
  const form = await ada.get(STANDARD);
  expect(form.body).toContain("<title>Sign up, step 1 of 2: details · Citewell</title>");
  expect(form.text).toContain("Step 1 of 2: details");
  const posted = await ada.signUp(fields.package_id, { country: "germany" });
  expect([posted.status, posted.headers.get("Location")]).toEqual([303, STANDARD]);

  const card = await ada.get(STANDARD);
  expect(card.body).toContain("<title>Sign up, step 2 of 2: card · Citewell</title>");
  for (const words of [CARD, "* You will not be charged immediately!", "Subscription Data Saved!", "Step 2 of 2: card"])
    expect(card.text).toContain(words);
  const day = new Date(Date.now() + 5 * 24 * 60 * 60 * 1000).toLocaleDateString("en-US", {
    dateStyle: "long",
    timeZone: "UTC",
  });
  expect(wordsOf(card)).toContain(
    `Your trial ends on ${day} (UTC). Unless you cancel before then, we’ll charge $500.00 USD to your card on or after ${day} (UTC), and then every month until you cancel.`,
  );
  expect(wordsOf(card).match(/We'll keep this sign-up until /g)).toHaveLength(1);
  expect((await ada.get(STANDARD)).text).not.toContain("Subscription Data Saved!");
  expect((await stripeStateOf(stack.stripe, ada.email)).customers).toMatchObject([{ address: { country: "DE" } }]);

  const form2 = await ada.get(MINI);
  expect(form2.text).toContain("Your STANDARD sign-up still needs a card");
  for (const typed of ["Ada Lovelace", ada.email, "(212) 555-0123", "1 Example Street", "62701"])
    expect(form2.text).toContain(`value="${typed}"`);
  expect((await ada.get(`${STANDARD}?edit`)).text).toContain(`value="${ada.email}"`);

  await enterCard(stack.stripe.url, secretIn(card));
  const back = await ada.get(returnPathIn(card));
  expect([back.status, back.headers.get("Location")]).toEqual([303, STANDARD]);
  const done = await ada.get(STANDARD);
  for (const words of [SUCCESS, "Engines & Sons", "(212) 555-0123", "STANDARD, $500 a month", "Visa ending in 4242"])
    expect(done.text).toContain(words);
  expect(done.text.indexOf("Card Successful!")).toBeLessThan(done.text.indexOf("subscription Successful!"));
  const reloaded = await ada.get("/subscription");
  expect(reloaded.text).toContain(SUCCESS);
  expect(reloaded.text).not.toContain("Card Successful!");
  expect(secretIn(reloaded)).toBeUndefined();
  expect((await ada.get(MINI)).text).not.toContain(SUCCESS);
  expect(await signUpsOf(ada.email)).toMatchObject([{ status: "trialing", country: "germany" }]);
});

test("a resume link is taken over by a post on another device, whose page names nobody and offers no other link", async () => {
  const ada = await signedUp(MINI_ID);
  const page = await ada.get(MINI);
  const link = linkIn(page);
  const elsewhere = cookieBrowser(stack.visitor);
  const question = await elsewhere.get(link);
  expect(question.text).toContain("Continue only if it's yours.");
  expect(question.text).not.toMatch(/Engines|@example/);
  expect((await elsewhere.post("intent=resume", link)).headers.get("Location")).toBe(MINI);
  const card = await elsewhere.get(MINI);
  expect(secretIn(card)).toBe(secretIn(page));
  expect(card.text).not.toContain("Continue on another device");
  const code = await ada.get("/resume-code");
  expect(code.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
  expect((await elsewhere.get("/resume-code")).status).toBe(404);
});

test("thirty sign-ups in a row all reach the card step with the limits of wrangler.toml", async () => {
  for (let index = 0; index < 30; index += 1) expect((await signedUp(MINI_ID)).hasSession()).toBe(true);
});

test("a form sent again after the API accepted it too late is one sign-up with one client_secret", async () => {
  const { visitor, upstream } = late;
  const passesOn =
    (then?: Behavior): Behavior =>
    async (response, call) => {
      const { "content-type": type = "", "idempotency-key": key } = call.headers;
      // A connection that waits in a pool may be closed just when it is used again.
      const headers = { "Content-Type": type, "Idempotency-Key": String(key), Connection: "close" };
      const answer = await fetch(stack.api.url + call.url, { method: call.method, headers, body: call.body });
      const body = await answer.text();
      return (then ?? answersWith(answer.status, body))(response, call);
    };
  const form = { email: "late@example.com" };
  upstream.answers(passesOn(neverAnswers));
  expect((await visitor.submit(form)).status).toBe(504);
  const keys = upstream.calls.map(({ headers }) => headers["idempotency-key"]);
  upstream.answers(passesOn());
  const retries = [await visitor.submit(form), await visitor.submit(form)];
  expect(retries.map(({ status }) => status)).toEqual([303, 303]);
  keys.push(...upstream.calls.map(({ headers }) => headers["idempotency-key"]));
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  expect(await signUpsOf(form.email)).toHaveLength(1);
});

describe("a form's body", () => {
  test("reaches the API with the contract's keys alone, and the password byte for byte", async () => {
    const { visitor, upstream } = late;
    const decomposed = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    for (const password of [PASSWORD, decomposed, `aA1!${"\u6f22".repeat(252)}`, "\ttab A1a\t"]) {
      upstream.answersJson(200, { client_secret: SECRET });
      const sent = new URLSearchParams({ ...fields, password, confirmPassword: password, role: "admin" });
      expect((await visitor.post(`${sent}&__proto__.x=1&a[4294967294]=1&${"a.".repeat(2000)}a=1`)).status).toBe(303);
      const [call] = upstream.calls;
      const body = JSON.parse(call?.body ?? "{}");
      expect(body.password).toBe(password);
      const keys = Object.keys(fields).filter((name) => name !== "confirmPassword");
      expect(Object.keys(body).sort()).toEqual(keys.sort());
      for (const name of ["authorization", "cookie", "origin", "referer"]) expect(call?.headers[name]).toBeUndefined();
    }
  });

  test.each(["Ada%00Lovelace", "Ada%ff%fe"])("gives an error at the field for a name of %s", async (name) => {
    const body = new URLSearchParams(fields).toString().replace("Ada+Lovelace", name);
    const answer = await late.visitor.post(body);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("Contact name must not contain control or unreadable characters");
  });
});

test("the card step without a publishable key says that it takes no card, and has Stripe's script by default", async () => {
  late.upstream.answersJson(200, { client_secret: SECRET });
  const vars = { SUBSCRIPTION_API_URL: late.upstream.url, STRIPE_PUBLISHABLE_KEY: undefined, STRIPE_JS_URL: undefined };
  const keyless = await startSite({ vars });
  const visitor = siteVisitor(keyless);
  const { cookie: Cookie } = await visitor.submit();
  const { words, body } = readPage(await visitor.get("/subscription", { Cookie }));
  expect(words("[role=alert]")).toContain("Configuration Error");
  expect(body).toContain("https://js.stripe.com/");
  await keyless.dispose();
});
