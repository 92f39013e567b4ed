import { expect, test, vi } from "vitest";
import * as z from "zod";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY, HOUR } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";

/* When a sign-up ends, and that it does. */

stopClock();

const accepted = z.object({ status_url: z.string(), expires_at: z.string() });

function forms() {
  const { post, ...api } = apiInProcess();
  const send = async () => accepted.parse(await (await post({}, { "idempotency-key": "the-key" })).json());
  return { ...api, send };
}

test("the answer to a form says when its sign-up ends without a card: 24 hours after it was first accepted", async () => {
  const { send, settled } = forms();
  expect((await send()).expires_at).toBe(new Date(NOW + DAY).toISOString());
  vi.setSystemTime(NOW + 20 * HOUR);
  expect((await send()).expires_at, "20 hours later, after a lost answer").toBe(new Date(NOW + DAY).toISOString());
  await settled();
});

test.each([
  { when: "an hour after its sign-up's end, less a second", age: 25 * HOUR - 1_000, status: 200 },
  { when: "an hour after its sign-up's end", age: 25 * HOUR, status: 404 },
])("a status_url is answered $status $when", async ({ age, status }) => {
  const { send, ask, settled } = forms();
  const { status_url } = await send();
  vi.setSystemTime(NOW + age);
  expect(await ask(status_url, {}, "site")).toHaveStatus(status);
  await settled();
});
