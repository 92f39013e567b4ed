import { expect, test, vi } from "vitest";
import { CHECK_AFTER_MS, nextPendingCheck } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { apiInProcess } from "../../../support/api-in-process/api";
import { inTime, stopClock } from "../../../support/api-in-process/clock";
import { times } from "../../../support/visitors/visitor";

/* What one run of the cron handler may cost: https://developers.cloudflare.com/workers/platform/limits/ */

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const CLOUDFLARE_ALLOWS = 1_000;
const CONNECTIONS = 6;

stopClock(NOW, { timers: true });

/** An API whose receivers take everything, and whose setup intents are open, after as long as Stripe's own answers take. */
function cronHandler() {
  let [statements, waiting, mostAtOnce] = [0, 0, 0];
  const api = apiInProcess({
    io: async (_, effect) => {
      statements += 1;
      return effect();
    },
    async upstream({ pathname }) {
      waiting += 1;
      mostAtOnce = Math.max(mostAtOnce, waiting);
      await new Promise((resolve) => setTimeout(resolve, 100));
      waiting -= 1;
      const id = pathname.split("/")[3];
      const status = pathname.endsWith("/cancel") ? "canceled" : "requires_payment_method";
      return Response.json({ id, client_secret: `${id}_secret_x`, status, deleted: true, data: [] });
    },
  });
  const count = (sql: string, ...values: string[]) => api.rows(sql, ...values).length;
  return {
    ...api,
    signUps: () => count("SELECT id FROM sign_ups"),
    due: () => count("SELECT id FROM sign_ups WHERE check_at <= ?", new Date().toISOString()),
    /** Sign-ups without their card that are due, as old as that. */
    async insertDue(number: number, age: number) {
      const created = new Date(NOW - age).toISOString();
      const columns = "stripe_customer_id = 'cus_' || id, stripe_setup_intent_id = 'seti_' || id";
      for (let n = 0; n < number; n += 1) {
        const { id } = await api.signUp({ email: `${age}-${n}@example.com` });
        api.rows(`UPDATE sign_ups SET ${columns}, created_at = ?1, check_at = ?1 WHERE id = ?2`, created, id);
      }
    },
    /** So many runs at once; their statements and subrequests. */
    async run(runs = 1) {
      [statements, mostAtOnce, api.calls.length] = [0, 0, 0];
      const all = times(runs, () => api.runScheduled());
      await inTime(all, 10);
      expect(mostAtOnce).toBeLessThanOrEqual(CONNECTIONS * runs);
      return statements + api.calls.length;
    },
  };
}

test("a cron run with over a thousand messages stays within Cloudflare's limits and leaves the rest [W3]", async () => {
  const { run, signUp, rows } = cronHandler();
  const { id } = await signUp();
  const sql = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?3, ?4, ?4)";
  for (let n = 0; n < 1_000; n += 1) rows(sql, `${n}`, id, "card-used", new Date(NOW).toISOString());
  const cost = await run();
  expect(cost).toBeGreaterThan(700);
  expect(cost).toBeLessThan(CLOUDFLARE_ALLOWS);
  expect(rows("SELECT key FROM outbox WHERE state = 'due'").length).toBeGreaterThan(0);
});

test("two cron runs delete 300 abandoned sign-ups, each within Cloudflare's limits [H7]", async () => {
  const { run, signUps, insertDue } = cronHandler();
  await insertDue(300, 30 * HOUR);
  expect(await run()).toBeLessThan(CLOUDFLARE_ALLOWS);
  expect(signUps()).toBeGreaterThan(0);
  expect(await run()).toBeLessThan(CLOUDFLARE_ALLOWS);
  expect(signUps()).toBe(0);
});

test("one cron run handles a minute's share of 100,000 abandoned sign-ups a day within a minute [H7]", async () => {
  const perMinute = Math.ceil(100_000 / (24 * 60));
  const ages = [CHECK_AFTER_MS];
  for (let age = CHECK_AFTER_MS; age < 24 * HOUR; ages.push(age)) {
    vi.setSystemTime(NOW + age);
    age = nextPendingCheck({ created_at: new Date(NOW).toISOString() }).getTime() - NOW;
  }
  vi.setSystemTime(NOW);
  expect(ages.at(-1)).toBe(24 * HOUR);
  const { run, signUps, due, insertDue } = cronHandler();
  for (const age of ages) await insertDue(perMinute, age);
  expect(await run()).toBeLessThan(CLOUDFLARE_ALLOWS);
  expect(Date.now() - NOW).toBeLessThan(50 * SECOND);
  expect([due(), signUps()]).toEqual([0, perMinute * (ages.length - 1)]);
});

test("two concurrent cron runs check and delete each abandoned sign-up once [H7]", async () => {
  const { run, signUps, calls, insertDue } = cronHandler();
  await insertDue(100, 30 * HOUR);
  await run(2);
  const deleted = calls.filter((call) => call.startsWith("DELETE "));
  expect([deleted.length, new Set(deleted).size, signUps()]).toEqual([100, 100, 0]);
});
