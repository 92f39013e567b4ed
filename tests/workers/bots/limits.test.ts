import { afterAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The limits of production, as workerd counts; how many of each kind of form they let through is a unit test. */

const CARD_CHECKS = 30;

const { upstream, site, visitor, dispose } = await startVisitedSite({
  vars: { BOT_CHECK: "true" },
  rateLimit: "as in production",
});
afterAll(dispose);
beforeEach(enoughOfTheMinute, 30_000);

test("of forms without a nonce five get through in a minute, whoever sends them; pages are always served [H20]", async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  const statuses: number[] = [];
  for (let index = 0; index < 12; index += 1) statuses.push((await visitor.submit({}, someone())).status);
  expect(statuses).toEqual([...Array(5).fill(303), ...Array(7).fill(422)]);
  expect(upstream.calls).toHaveLength(5);
  const me = someone();
  for (const path of ["/", "/pricing", "/subscription"]) expect((await visitor.get(path, me)).status).toBe(200);
});

test("who returns from the bank again and again makes Stripe be asked 30 times a minute, and then waits [H24]", async () => {
  upstream.answersJson(404, { error: {} });
  const me = someone();
  const returned = (index: number) => `/subscription?setup_intent_client_secret=seti_${index}_secret_${index}`;
  for (let index = 0; index < CARD_CHECKS; index += 1) {
    expect((await visitor.get(returned(index), me)).status).toBe(303);
  }
  expect(upstream.calls).toHaveLength(CARD_CHECKS);
  const answer = await visitor.get(returned(CARD_CHECKS), me);
  const page = await visitor.get("/subscription", { ...me, Cookie: answer.cookie });
  expect(page.text).toContain("We haven't been able to confirm your card yet. Nothing is lost.");
  expect((await visitor.post("intent=card-set-up", { ...me, Cookie: answer.cookie })).status).toBe(303);
  expect(upstream.calls).toHaveLength(CARD_CHECKS);
  await expect.poll(() => site.logs.some(({ event }) => event === "card_check_limited")).toBe(true);

  // Others are not held back.
  await visitor.get(returned(0), someone());
  expect(upstream.calls).toHaveLength(CARD_CHECKS + 1);
});

test("a key that Stripe refuses leads to the waiting page, and is logged as an error [H28]", async () => {
  upstream.answersJson(401, { error: { type: "invalid_request_error" } });
  const me = someone();
  const { cookie: Cookie } = await visitor.get("/subscription?setup_intent_client_secret=seti_1_secret_1", me);
  const { text } = await visitor.get("/subscription", { ...me, Cookie });
  expect(text).toContain("We haven't been able to confirm your card yet. Nothing is lost.");
  expect(text).not.toContain("canceled");
  const refused = expect.objectContaining({ event: "stripe_key_refused", level: "error", status: 401 });
  await expect.poll(() => site.logs).toContainEqual(refused);
});
