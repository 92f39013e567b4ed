import { expect, test } from "vitest";
import { deleteSettledMessages } from "../../../../functions/subscription-api/cron/settled-messages";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

/** An outbox with messages of one sign-up that were settled at these times; null: still due. */
async function outboxWith(settled: Record<string, number | null>) {
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  for (const [key, time] of Object.entries(settled))
    api.rows(
      `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at, settled_at)
       VALUES (?1, ?2, 'card-used', ?3, '2026-01-01', '2026-01-01', ?4)`,
      key,
      id,
      time === null ? "due" : "sent",
      time === null ? null : new Date(time).toISOString(),
    );
  return { ...api, keys: () => api.rows("SELECT key FROM outbox ORDER BY key").map(({ key }) => key) };
}

test("a message is deleted 30 days after it was sent or dropped, and not a moment earlier", async () => {
  const { services, keys } = await outboxWith({ older: NOW - 30 * DAY - 1, younger: NOW - 30 * DAY });
  await deleteSettledMessages(services);
  expect(keys()).toEqual(["younger"]);
});

test("a message that is still due is kept, however old it is", async () => {
  const { services, keys } = await outboxWith({ due: null });
  await deleteSettledMessages(services);
  expect(keys()).toEqual(["due"]);
});

test("a run deletes a limited number of messages", async () => {
  const { services, keys } = await outboxWith({ first: NOW - DAY, second: NOW - DAY });
  expect(await services.outbox.deleteSettled(new Date(NOW), 1)).toBe(1);
  expect(keys()).toHaveLength(1);
});
