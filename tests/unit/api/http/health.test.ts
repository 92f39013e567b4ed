import { expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { stopClock } from "../../../support/clock";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const minutesAgo = (minutes: number, more = 0) => new Date(NOW - minutes * 60_000 - more).toISOString();
const RAN_AT = "UPDATE cron_runs SET ran_at = ?";

stopClock(NOW);

/** An API whose cron ran a minute ago, with a message of an hour ago. */
async function newApi(kind: string, state: string, settings: Record<string, unknown> = DEPLOYED) {
  const api = apiInProcess({ settings });
  api.rows(RAN_AT, minutesAgo(1));
  const columns = "INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)";
  api.rows(`${columns} VALUES (?1, ?1, ?2, ?3, ?4, ?4)`, (await api.signUp()).id, kind, state, minutesAgo(60));
  const health = async () => {
    const answer = await api.ask(settings === DEPLOYED ? "https://api.example/health" : "/health");
    return { status: answer.status, body: await answer.json() };
  };
  return { ...api, health };
}

test("a healthy API reports its release and pending work, and asks only its database", async () => {
  const { health, calls } = await newApi("card-used", "dead");
  const work = { dead_messages: 1, oldest_due_seconds: 0, last_cron_run: minutesAgo(1) };
  const body = { status: "ok", release: "a-release", commit: "unknown", ...work };
  expect(await health()).toEqual({ status: 200, body });
  expect(calls).toEqual([]);
});

test("an answer is cached for ten seconds", async () => {
  const { health, rows } = await newApi("card-used", "sent");
  expect((await health()).status).toBe(200);
  rows(RAN_AT, minutesAgo(60));
  vi.setSystemTime(NOW + 9_999);
  expect((await health()).status).toBe(200);
  vi.setSystemTime(NOW + 10_000);
  expect((await health()).status).toBe(503);
});

test("a database without the latest migration is named", async () => {
  const { rows, health } = await newApi("card-used", "sent");
  rows("DROP TABLE cron_runs");
  expect(await health()).toMatchObject({ status: 503, body: { title: "The service is not healthy", keys: ["DB"] } });
});

test("a developer's database is well as soon as its migrations are applied", async () => {
  const { rows, health } = await newApi("card-used", "sent", {});
  rows("ALTER TABLE cron_runs RENAME TO not_yet");
  expect((await health()).status).toBe(503);
  rows("ALTER TABLE not_yet RENAME TO cron_runs");
  expect((await health()).status).toBe(200);
});

test.each([
  ["the last cron run", "cron", 10, RAN_AT],
  ["a database without a cron run", "cron", 30, "UPDATE cron_runs SET ran_at = NULL, created_at = ?"],
  ["a due message", "outbox", 15, "UPDATE outbox SET state = 'due', next_attempt_at = ?"],
])("%s makes %s late just after %i minutes, and never in local development", async (_, late, minutes, change) => {
  for (const { more = 1, settings = DEPLOYED, status = 200 } of [{ more: 0 }, { status: 503 }, { settings: {} }]) {
    const { rows, health, logged } = await newApi("card-used", "sent", settings);
    rows(change, minutesAgo(minutes, more));
    const body = status === 503 ? { keys: [late], detail: `Late: ${late}` } : { status: "ok" };
    expect(await health()).toMatchObject({ status, body });
    expect(logged.filter(({ event }) => event === "unwell")).toHaveLength(status === 503 ? 1 : 0);
  }
});

test("a message for a console is due, and waits where there is none", async () => {
  const [withConsole, without] = [await newApi("account-created", "due", {}), await newApi("account-created", "due")];
  expect(await withConsole.health()).toMatchObject({ body: { oldest_due_seconds: 3_600 } });
  expect(await without.health()).toMatchObject({ status: 200, body: { oldest_due_seconds: 0 } });
});
