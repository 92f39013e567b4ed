import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import {
  type Answer,
  fields,
  nonceIn,
  resumeLinkIn,
  returnTokenIn,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { type Stack, startStack } from "../../support/visitors/visited-site";
import { enterCard, rows } from "../../support/visitors/visitor";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/*
 * The site before the reference API and the simulator: what a page says is what the visitor did, and what Stripe knows.
 */

const MINI = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const STANDARD = fields.package_id;
const CARD = "Please enter your card info for starting your 5 days free trial";
const SAVED = "Subscription Data Saved!";
const SUCCESS = "Your 5 days trial period has been started.";

let stack: Stack;
let offline: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  stack = await startStack(await fastApi());
  ({ visitor } = stack);
  offline = await startSite({ vars: { SUBSCRIPTION_API_URL: stack.api.url, STRIPE_API_URL: "http://127.0.0.1:9" } });
});

afterAll(() => Promise.all([offline.dispose(), stack.dispose()]));

const browser = (of: SiteVisitor = visitor) => cookieBrowser(of);

const signUpsOf = (email: string) =>
  rows(stack.api, "SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at", email);

describe("one sign-up, one plan, one form", () => {
  test("the plan of the URL wins; the sign-up for another plan is offered, with what was typed before [S17]", async () => {
    const ada = browser();
    await ada.signUp(STANDARD);
    const { text } = await ada.get(`/subscription/${MINI}`);
    expect(text).toContain("You have a sign-up for STANDARD waiting for its card");
    expect(text).toContain(`href="/subscription/${STANDARD}"`);
    expect(text).toContain("Subscription Information");
    expect(text).not.toContain(CARD);
    expect(text).not.toContain(SAVED);
    for (const typed of ["Ada Lovelace", ada.email, "(212) 555-0123", "1 Example Street", "62701"])
      expect(text).toContain(`value="${typed}"`);
    expect(text).not.toContain(fields.password);
    expect((await ada.get(`/subscription/${STANDARD}`)).text).toContain(CARD);
  });

  test("a posted form is always taken: its sign-up replaces the one before, which is superseded [S18]", async () => {
    const ada = browser();
    await ada.signUp(STANDARD);
    const secret = await ada.clientSecret(STANDARD);
    expect((await ada.signUp(MINI)).status).toBe(303);
    expect((await ada.get(`/subscription/${MINI}`)).text).toContain("MINI");
    expect(await ada.clientSecret(MINI)).not.toBe(secret);
    expect((await signUpsOf(ada.email)).map(({ status }) => status)).toEqual(["superseded", "pending"]);
    // The card of the sign-up that was given up cannot be set up any more.
    expect((await enterCard(stack.stripe.url, secret)).status).toBe(400);
  });

  test("the very same form sent twice leads to the same sign-up, without another call [S18]", async () => {
    const ada = browser();
    const form_nonce = nonceIn(await ada.get(`/subscription/${MINI}`));
    await ada.send({ package_id: MINI, form_nonce });
    const secret = await ada.clientSecret(MINI);
    expect((await ada.send({ package_id: MINI, form_nonce })).status).toBe(303);
    expect(await ada.clientSecret(MINI)).toBe(secret);
    expect(await signUpsOf(ada.email)).toHaveLength(1);
  });

  test("each step says which one it is; at the card stands when the trial ends and what is charged then [S24]", async () => {
    const ada = browser();
    const form = await ada.get(`/subscription/${MINI}`);
    expect(form.text).toContain("Step 1 of 2: details");
    expect(form.body).toContain("<title>Sign up, step 1 of 2: details · Citewell</title>");
    await ada.signUp(MINI);
    const card = await ada.get(`/subscription/${MINI}`);
    expect(card.text).toContain("Step 2 of 2: card");
    expect(card.body).toContain("<title>Sign up, step 2 of 2: card · Citewell</title>");
    const end = new Date(Date.now() + 5 * 24 * 60 * 60 * 1000);
    const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
    expect(card.text.replace(/<[^>]+>/g, "")).toContain(
      `Your trial ends on ${day} (UTC). Then $100.00 (USD) a month plus any tax until you cancel. To cancel, open the customer portal;`,
    );
    expect(card.body).toMatch(/<a href="http:\/\/localhost:8789\/p\/login\/test"[^>]*>customer portal</);
  });

  test("'saved' is said once, right after it happened [S19]", async () => {
    const ada = browser();
    await ada.signUp(MINI);
    expect((await ada.get(`/subscription/${MINI}`)).text).toContain(SAVED);
    const reloaded = await ada.get(`/subscription/${MINI}`);
    expect(reloaded.text).toContain(CARD);
    expect(reloaded.text).not.toContain(SAVED);
  });

  test("'Edit details' leads back to the form with everything but the passwords, and the new form replaces the sign-up [S20]", async () => {
    const ada = browser();
    await ada.signUp(MINI);
    expect((await ada.post("intent=edit", `/subscription/${MINI}`)).status).toBe(303);
    const form = await ada.get(`/subscription/${MINI}`);
    const typed = { ...fields, company_name: "Engines & Sons", email: ada.email };
    const shown = ["full_name", "company_name", "email", "address", "city", "state", "zipCode"] as const;
    for (const name of shown) {
      const input = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(form.text)?.[0] ?? "";
      expect(input, name).toContain(`value="${typed[name]}"`);
    }
    expect(form.text).not.toContain(fields.password);
    await ada.send({ package_id: MINI, form_nonce: nonceIn(form), company_name: "Difference Engines" });
    expect(await signUpsOf(ada.email)).toMatchObject([
      { status: "superseded", company_name: "Engines & Sons" },
      { status: "pending", company_name: "Difference Engines" },
    ]);
  });

  test("the success belongs to the plan that succeeded; another plan's URL shows its form [S16] [S21] [T5]", async () => {
    const ada = browser();
    await ada.signUp(STANDARD);
    await enterCard(stack.stripe.url, await ada.clientSecret(STANDARD));
    await ada.post("intent=card-set-up", `/subscription/${STANDARD}`);
    const { text, body } = await ada.get(`/subscription/${STANDARD}`);
    expect(text).toContain(SUCCESS);
    expect(body).toContain("To cancel, change your card or see your invoices, open the");
    expect(body).toContain('href="http://localhost:8789/p/login/test"');
    for (const detail of ["Engines & Sons", "(212) 555-0123", "STANDARD, $500 a month", "Visa ending in 4242"]) {
      expect(text).toContain(detail);
    }
    expect(text.indexOf("Card Successful!")).toBeLessThan(text.indexOf("subscription Successful!"));
    const other = await ada.get(`/subscription/${MINI}`);
    expect(other.text).toContain("Subscription Information");
    expect(other.text).not.toContain(SUCCESS);
    const reloaded = await ada.get("/subscription");
    expect(reloaded.text).toContain(SUCCESS);
    expect(reloaded.text).not.toContain("Card Successful!");
    expect(reloaded.body).not.toMatch(/seti_\w+_secret_/);
  });
});

describe("success is what Stripe says", () => {
  test("without a card there is no success, whatever is posted [H9]", async () => {
    const ada = browser();
    await ada.signUp(MINI);
    expect((await ada.post("intent=card-set-up", `/subscription/${MINI}`)).status).toBe(303);
    const { text } = await ada.get(`/subscription/${MINI}`);
    expect(text).toContain("Payment Failed");
    expect(text).toContain("An error occurred during payment");
    expect(text).not.toContain(SUCCESS);
  });

  test("after a declined card the step says why, once [H9] [M7]", async () => {
    const ada = browser();
    await ada.signUp(MINI);
    await enterCard(stack.stripe.url, await ada.clientSecret(MINI), "4000000000000002");
    await ada.post("intent=card-set-up", `/subscription/${MINI}`);
    expect((await ada.get(`/subscription/${MINI}`)).text).toContain("Your card was declined.");
    const reloaded = await ada.get(`/subscription/${MINI}`);
    expect(reloaded.text).toContain(CARD);
    expect(reloaded.text).not.toContain("Your card was declined.");
  });

  test.each([
    ["with the cookie", true, true],
    ["without the cookie", false, true],
    ["with nothing but Stripe's own parameters", false, false],
  ])(
    "the return from the bank works %s: the secret leaves the URL, and Stripe is asked [S22]",
    async (_, kept, sent) => {
      const ada = browser();
      await ada.signUp(MINI);
      const secret = await ada.clientSecret(MINI);
      const token = returnTokenIn(await ada.get(`/subscription/${MINI}`));
      const returned = { setup_intent_client_secret: secret, redirect_status: "succeeded" };
      const query = new URLSearchParams({ ...returned, ...(sent && { return: token }) });
      const path = `/subscription/${MINI}`;
      const early = await ada.get(`${path}?${query}`);
      expect(early.status).toBe(303);
      expect(early.headers.get("Location")).toBe(path);
      expect((await ada.get(path)).text).not.toContain(SUCCESS);

      await enterCard(stack.stripe.url, secret);
      if (!kept) ada.setCookie("");
      expect((await ada.get(`${path}?${query}`)).headers.get("Location")).toBe(path);
      const { text } = await ada.get(path);
      expect(text).toContain(SUCCESS);
      expect(text.includes("Engines & Sons")).toBe(kept || sent);
    },
  );

  test("a card that was set up on an open page is a success, whatever the cookie has become since [S23]", async () => {
    const path = `/subscription/${MINI}`;
    const [ada, grace] = [browser(), browser()];
    for (const each of [ada, grace]) {
      await each.signUp(MINI);
      const secret = await each.clientSecret(MINI);
      const token = returnTokenIn(await each.get(path));
      each.setCookie("");
      if (each === grace) await each.signUp(STANDARD, { email: "other@example.com" });
      const press = `intent=card-set-up&return_token=${token}`;
      const before = each.cookie();
      await each.post(press, path);
      expect(each.cookie()).toBe(before);
      await enterCard(stack.stripe.url, secret);
      await each.post(press, path);
      const { text } = await each.get(path);
      expect(text).toContain(SUCCESS);
      expect(text).toContain(each.email);
    }
  });

  test.each(["constructor", "__proto__", "toString", "pay"])(
    "a button named %s is none: the form is read",
    async (name) => {
      expect((await browser().post(`intent=${name}`, `/subscription/${MINI}`)).status).toBe(422);
    },
  );

  test("somebody else's return leaves a sign-up in progress as it is [S22]", async () => {
    const [ada, eve] = [browser(), browser()];
    await ada.signUp(MINI);
    await eve.signUp(MINI);
    const secret = await eve.clientSecret(MINI);
    await enterCard(stack.stripe.url, secret);
    const { headers } = await ada.get(`/subscription/${MINI}?setup_intent_client_secret=${secret}`);
    expect(headers.has("Set-Cookie")).toBe(false);
    expect((await ada.get(`/subscription/${MINI}`)).text).toContain(CARD);
  });

  test("a return with another sign-up's token tells nothing of that one [S22]", async () => {
    const [ada, eve, nobody] = [browser(), browser(), browser()];
    await ada.signUp(MINI, { email: "ada@return.example", company_name: "Returned Engines" });
    await eve.signUp(MINI);
    const token = returnTokenIn(await ada.get(`/subscription/${MINI}`));
    const secret = await eve.clientSecret(MINI);
    await enterCard(stack.stripe.url, secret);
    const query = new URLSearchParams({ setup_intent_client_secret: secret, return: token });
    expect((await nobody.get(`/subscription/${MINI}?${query}`)).status).toBe(303);
    const { text } = await nobody.get(`/subscription/${MINI}`);
    expect(text).toContain(SUCCESS);
    expect(text).not.toMatch(/ada@return|Returned Engines/);
  });

  test("a plan's id leads to its sign-up in any case [S18]", async () => {
    const ada = browser();
    await ada.signUp(MINI);
    expect((await ada.get(`/subscription/${MINI.toUpperCase()}`)).text).toContain(CARD);
    expect((await ada.get(`/subscription/${STANDARD}`)).text).not.toContain(CARD);
  });

  test("when Stripe cannot be asked the page says so, looks again by itself without a script, and loses nothing [S23]", async () => {
    const ada = browser(siteVisitor(offline));
    await ada.signUp(MINI);
    await ada.post("intent=card-set-up", `/subscription/${MINI}`);
    const first = await ada.get(`/subscription/${MINI}`);
    expect(first.text).toContain("We could not confirm yet that your card is set up. Nothing is lost.");
    expect(first.text).not.toContain(SUCCESS);
    const refresh = (answer: Answer) =>
      Number(/<noscript><meta http-?[eE]quiv="refresh" content="(\d+)"/.exec(answer.body)?.[1]);
    const waits = [refresh(first)];
    for (let look = 0; look < 4; look += 1) waits.push(refresh(await ada.get(`/subscription/${MINI}`)));
    expect(waits).toEqual([10, 20, 40, 60, 60]);

    const grace = browser(siteVisitor(offline));
    await grace.signUp(MINI);
    const { pathname, search } = resumeLinkIn(await grace.get(`/subscription/${MINI}`));
    const elsewhere = browser(siteVisitor(offline));
    const resumed = await elsewhere.post("intent=resume", pathname + search);
    expect([resumed.status, resumed.text.includes("Connection Failed")]).toEqual([503, true]);
  });
});
