import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* How often one sender can make the site ask Stripe. */

const LIMIT = 30;

let stripe: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  stripe = await startUpstream();
  site = await startSite({ vars: { STRIPE_API_URL: stripe.url }, rateLimit: "as in production" });
  visitor = siteVisitor(site);
});

beforeEach(enoughOfTheMinute, 30_000);
beforeEach(() => stripe.answersJson(404, { error: {} }));

afterAll(async () => {
  await site.dispose();
  stripe.dispose();
});

const returned = (index: number) => `/subscription?setup_intent_client_secret=seti_${index}_secret_${index}`;

test("who returns from the bank again and again makes Stripe be asked 30 times a minute, and then waits [H24]", async () => {
  const me = someone();
  for (let index = 0; index < LIMIT; index += 1) expect((await visitor.get(returned(index), me)).status).toBe(303);
  expect(stripe.calls).toHaveLength(LIMIT);
  const answer = await visitor.get(returned(LIMIT), me);
  expect(answer.status).toBe(303);
  const page = await visitor.get("/subscription", { ...me, Cookie: answer.cookie });
  expect(page.status).toBe(200);
  expect(page.text).toContain("We could not confirm yet that your card is set up. Nothing is lost.");
  const posted = { ...me, Cookie: answer.cookie };
  expect((await visitor.post("intent=card-set-up", posted)).status).toBe(303);
  expect((await visitor.post("intent=card-set-up&client_secret=seti_9_secret_9", posted)).status).toBe(303);
  expect(stripe.calls).toHaveLength(LIMIT);
  await expect.poll(() => site.logs.filter(({ event }) => event === "card_check_limited")).toHaveLength(4);

  // Others are not held back.
  await visitor.get(returned(0), someone());
  expect(stripe.calls).toHaveLength(LIMIT + 1);
});

test("what is no client secret is not counted [H24]", async () => {
  const me = someone();
  for (let index = 0; index < 2 * LIMIT; index += 1) {
    await visitor.get("/subscription?setup_intent_client_secret=pi_1_secret_1", me);
  }
  await visitor.get(returned(0), me);
  expect(stripe.calls).toHaveLength(1);
});
