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

test("five forms without a nonce pass in a minute, from all clients together; pages are always served [H20]", async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  const statuses: number[] = [];
  for (let index = 0; index < 12; index += 1) statuses.push((await visitor.submit({}, someone())).status);
  expect(statuses).toEqual([...Array(5).fill(303), ...Array(7).fill(422)]);
  expect(upstream.calls).toHaveLength(5);
  const me = someone();
  for (const path of ["/", "/pricing", "/subscription"]) expect((await visitor.get(path, me)).status).toBe(200);
});

test("a visitor who keeps checking the card causes 30 Stripe calls a minute, then waits [H24]", async () => {
  const me = await atCardStep();
  upstream.answersJson(500, {});
  const before = upstream.calls.length;
  const { cookie: Cookie } = await visitor.post("intent=card-set-up", me);
  const look = (headers = me) => visitor.get("/subscription", { ...headers, Cookie });
  for (let index = 1; index < CARD_CHECKS; index += 1) await look();
  expect(upstream.calls).toHaveLength(before + CARD_CHECKS);
  expect((await look()).text).toContain("We haven't been able to confirm your card yet. Nothing is lost.");
  expect(upstream.calls).toHaveLength(before + CARD_CHECKS);
  await expect.poll(() => site.logs.some(({ event }) => event === "card_check_limited")).toBe(true);

  // Others are not held back.
  await look({ ...me, ...someone() });
  expect(upstream.calls).toHaveLength(before + CARD_CHECKS + 1);
});

async function atCardStep() {
  upstream.answersJson(200, { client_secret: SECRET });
  const me = someone();
  const { cookie } = await visitor.submit({ form_nonce: await visitor.nonce() }, me);
  expect(cookie).not.toBe("");
  return { ...me, Cookie: cookie };
}
