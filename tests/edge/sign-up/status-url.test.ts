import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { newCard } from "../../support/stripe/set-up-card";
import { logged, nonceIn, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { type Stack, startStack } from "../../support/visitors/visited-site";
import { enterCard, mails } from "../../support/visitors/visitor";
import {
  answersWith,
  type Behaviour,
  neverAnswers,
  redirects,
  sendsAnEndlessBody,
  startUpstream,
  type Upstream,
} from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

const SUCCESS = "Your 5 days trial period has been started.";
const WAITING = "This page looks again by itself.";
const CARD = "Please enter your card info for starting your 5 days free trial";
const CARD_USED = "This card has already been used for a free trial. Use another card, or contact sales.";

let stack: Stack;
let visitor: SiteVisitor;

beforeAll(async () => {
  stack = await startStack({ ...(await fastApi()), vars: { ONE_TRIAL_PER_PERSON: "true" } });
  ({ visitor } = stack);
  return stack.dispose;
});

/** A visitor at the card step. */
async function atCardStep(of: SiteVisitor = visitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  let { cookie } = await of.submit({ email, form_nonce: nonceIn(await of.get("/subscription")) });
  const page = async () => {
    for (;;) {
      const answer = await of.get("/subscription", { Cookie: cookie });
      if (answer.cookie !== "") cookie = answer.cookie;
      if (answer.status !== 303) return answer;
    }
  };
  const secretIn = (body: string) => /seti_\w+_secret_\w+/.exec(body)?.[0] ?? "";
  return {
    email,
    page,
    clientSecret: async () => secretIn((await page()).body),
    /** Says that the card is set up, and follows to the page that comes then. */
    async finish() {
      const answer = await of.post("intent=card-set-up", { Cookie: cookie });
      expect(answer.status).toBe(303);
      cookie = answer.cookie;
      return page();
    },
  };
}

describe("before the reference API", () => {
  test("a card that has not been used is a success at once, whether or not Stripe's webhook was there [S23]", async () => {
    const ada = await atCardStep();
    await enterCard(stack.stripe.url, await ada.clientSecret(), newCard());
    expect((await ada.finish()).text).toContain(SUCCESS);
  });

  test("a used card leads back to the card step, which says so plainly; another card is a success [H10]", async () => {
    const card = newCard();
    const first = await atCardStep();
    await enterCard(stack.stripe.url, await first.clientSecret(), card);
    expect((await first.finish()).text).toContain(SUCCESS);

    const second = await atCardStep();
    const secret = await second.clientSecret();
    await enterCard(stack.stripe.url, secret, card);
    const refused = await second.finish();
    expect(refused.text).toContain(CARD_USED);
    expect(refused.text).toContain('href="mailto:sales@');
    expect(refused.text).toContain(CARD);
    expect(refused.text).not.toContain(SUCCESS);
    const next = await second.clientSecret();
    expect(next).not.toBe(secret);
    expect((await second.page()).text).not.toContain(CARD_USED);
    await expect.poll(() => mails(stack.stripe, second.email)).toHaveLength(1);

    await enterCard(stack.stripe.url, next, newCard());
    expect((await second.finish()).text).toContain(SUCCESS);
  });

  test("after five declined cards the sign-up was cancelled, and starting over makes a new one [H3]", async () => {
    const ada = await atCardStep();
    const secret = await ada.clientSecret();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await enterCard(stack.stripe.url, secret, "4000000000000002");
    }
    await expect
      .poll(async () => (await ada.finish()).text)
      .toContain("This sign-up was cancelled. Please start over.");
  });
});

describe("before an API that a test plays", () => {
  let upstream: Upstream;
  let elsewhere: Upstream;
  let played: RunningWorker;
  let ofPlayed: SiteVisitor;
  beforeAll(async () => {
    [upstream, elsewhere] = await Promise.all([startUpstream(), startUpstream()]);
    played = await startSite({
      vars: {
        SUBSCRIPTION_API_URL: upstream.url,
        STRIPE_API_URL: stack.stripe.url,
        // Enough for a busy machine.
        SUBSCRIPTION_API_TIMEOUT_MS: "5000",
      },
    });
    ofPlayed = siteVisitor(played);
  });
  afterEach(() => elsewhere.answersJson(200, { status: "trial" }));
  afterAll(async () => {
    await played.dispose();
    upstream.dispose();
    elsewhere.dispose();
  });

  /** A visitor whose card Stripe has set up. */
  async function withCard(statusUrl: unknown, status: Behaviour) {
    upstream.answers(async (response, call) => {
      if (call.url !== "/subscription") return status(response, call);
      const answer = await fetch(`${stack.api.url}/subscription`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Connection: "close" },
        body: call.body,
      });
      const body = { client_secret: JSON.parse(await answer.text()).client_secret, status_url: statusUrl };
      response.writeHead(answer.status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
    const ada = await atCardStep(ofPlayed);
    await enterCard(stack.stripe.url, await ada.clientSecret(), newCard());
    return ada;
  }

  const own = () => `${upstream.url}/status/token`;
  const says = (body: unknown) => answersWith(200, JSON.stringify(body));

  test.each<[string, () => unknown]>([
    ["none", () => undefined],
    ["one of another origin", () => `${elsewhere.url}/status`],
    ["one with the API's host as its user", () => `http://${new URL(upstream.url).host}@127.0.0.1:9/status`],
    ["no URL", () => "status"],
    ["no string", () => 42],
    ["one of 400 characters", () => `${upstream.url}/${"x".repeat(400)}`],
    ["a script", () => "javascript:alert(1)"],
  ])("with %s Stripe's word stands, and nobody is asked [S23]", async (_, statusUrl) => {
    const ada = await withCard(statusUrl(), says({ status: "ended" }));
    expect((await ada.finish()).text).toContain(SUCCESS);
    expect(upstream.calls.map(({ url }) => url)).toEqual(["/subscription"]);
    expect(elsewhere.calls).toEqual([]);
  });

  test.each<[string, Behaviour]>([
    ["is pending", says({ status: "pending" })],
    ["answers 503", answersWith(503, "{}")],
    ["answers 404", answersWith(404, "{}")],
    ["answers with nonsense", answersWith(200, "<html>")],
    ["answers with a status that nobody knows", says({ status: "perhaps" })],
    ["answers with a used card and no secret", says({ status: "card_used" })],
    ["redirects", (response, call) => redirects(302, `${elsewhere.url}/status`)(response, call)],
    ["never answers", neverAnswers],
    ["answers without end", sendsAnEndlessBody()],
  ])("the page waits and looks again when the status %s; then it is a success [S23]", async (_, status) => {
    let behaviour = status;
    const ada = await withCard(own(), (response, call) => behaviour(response, call));
    const waiting = await ada.finish();
    expect(waiting.text).toContain(WAITING);
    expect(waiting.text).not.toContain(SUCCESS);
    expect(elsewhere.calls).toEqual([]);

    behaviour = says({ status: "trial" });
    expect((await ada.page()).text).toContain(SUCCESS);
  });

  test("a sign-up that has ended is no success [H9]", async () => {
    const ada = await withCard(own(), says({ status: "ended" }));
    const page = await ada.finish();
    expect(page.text).toContain("This sign-up was cancelled. Please start over.");
    expect(page.text).not.toContain(SUCCESS);
  });

  test("its secret and its URL are in no log of the site [F5]", async () => {
    expect(logged(played)).not.toMatch(/_secret_|\/status\/token|eyJ/);
  });
});
