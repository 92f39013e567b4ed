import { expect, test, vi } from "vitest";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { eventOf, sign } from "../../support/stripe/stripe-events";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

/** An API whose database loses the first write that begins like this, so long after the work began. */
function losing(beginning: string, milliseconds: number) {
  vi.setSystemTime(NOW);
  let isLost = false;
  return apiInProcess({
    io: async (sql, effect) => {
      if (isLost || !sql.includes(beginning)) return effect();
      isLost = true;
      vi.setSystemTime(NOW + milliseconds);
      throw new Error("D1_ERROR: Network connection lost.");
    },
  });
}

test.each([
  [0, 200],
  [4_999, 200],
  [5_000, 503],
])("a write that D1 loses %i ms after a request began is sent again or not: %i", async (milliseconds, status) => {
  const event = eventOf("customer.subscription.updated", { object: "subscription", id: "sub_9", customer: "cus_9" });
  const { ask, rows, settled } = losing("INSERT INTO stripe_events", milliseconds);
  const headers = { "stripe-signature": sign(event) };
  const answer = await ask("/webhooks/stripe", { method: "POST", body: event, headers });
  expect([answer.status, rows("SELECT id FROM stripe_events").length]).toEqual([status, status === 200 ? 1 : 0]);
  await settled();
});

test.each([
  [4 * 60_000 - 1, true],
  [4 * 60_000, false],
])(
  "in a run of the cron handler a lost write is sent again until four minutes have passed: %i ms, %s",
  async (milliseconds, isSent) => {
    const { runScheduled, rows } = losing("DELETE FROM stripe_events", milliseconds);
    await runScheduled().catch(() => undefined);
    expect(rows("SELECT ran_at FROM cron_runs")).toEqual([
      { ran_at: isSent ? new Date(NOW + milliseconds).toISOString() : null },
    ]);
  },
);

test("all lines of a cron run have one ID, and each run has its own", async () => {
  const { runScheduled, logged } = apiInProcess({ upstream: () => Response.json({ error: {} }, { status: 401 }) });
  for (const runs of [1, 2]) {
    await runScheduled();
    const ids = logged.map(({ request_id }) => String(request_id));
    expect(new Set(ids).size).toBe(runs);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
