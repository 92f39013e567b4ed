import { expect, test, vi } from "vitest";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { DEPLOYED } from "../../support/api-in-process/settings";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const aMomentBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString();
const NO_CONSOLE = { CONSOLE_WEBHOOK_URL: undefined, CONSOLE_WEBHOOK_SECRET: undefined };

stopClock(NOW);

/** An API whose cron ran a minute ago. */
function newApi(settings: Record<string, unknown> = DEPLOYED) {
  const api = apiInProcess({ settings });
  const ranAt = (time: string) => api.rows("UPDATE cron_runs SET ran_at = ?", time);
  ranAt(minutesAgo(1));
  return {
    ...{ ...api, ranAt },
    neverRan: (since: string) => api.rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", since),
    async message(kind: string, state: string, time: string) {
      const columns = "INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)";
      api.rows(`${columns} VALUES (?1, ?1, ?2, ?3, ?4, ?4)`, (await api.signUp()).id, kind, state, time);
    },
    async health() {
      const answer = await api.ask(settings === DEPLOYED ? "https://api.example/health" : "/health");
      return { status: answer.status, body: await answer.json() };
    },
  };
}

test("a healthy API tells its release and what is left to do, and asks nobody but its database", async () => {
  const { health, calls, message } = newApi();
  await message("card-used", "dead", minutesAgo(60));
  const work = { dead_messages: 1, oldest_due_seconds: 0, last_cron_run: minutesAgo(1) };
  const body = { status: "ok", release: "a-release", commit: "unknown", ...work };
  expect(await health()).toEqual({ status: 200, body });
  expect(calls).toEqual([]);
});

test("an answer is cached for ten seconds", async () => {
  const { health, ranAt } = newApi();
  expect((await health()).status).toBe(200);
  ranAt(minutesAgo(60));
  vi.setSystemTime(NOW + 9_999);
  expect((await health()).status).toBe(200);
  vi.setSystemTime(NOW + 10_000);
  expect((await health()).status).toBe(503);
});

test("a database without the latest migration is named", async () => {
  const { rows, health } = newApi();
  rows("DROP TABLE cron_runs");
  expect(await health()).toMatchObject({ status: 503, body: { title: "The service is not healthy", keys: ["DB"] } });
});

type Api = ReturnType<typeof newApi>;

test.each<[string, string, string, (time: string, api: Api) => unknown]>([
  ["the last cron run", "cron", minutesAgo(10), (time, { ranAt }) => ranAt(time)],
  ["a database without a cron run", "cron", minutesAgo(30), (time, { neverRan }) => neverRan(time)],
  ["a due message", "outbox", minutesAgo(15), (time, { message }) => message("card-used", "due", time)],
])("%s makes %s late just after %s, not before, and never in local development", async (_, late, time, make) => {
  for (const [since, settings, expected] of [
    [time, DEPLOYED, { status: 200 }],
    [aMomentBefore(time), DEPLOYED, { status: 503, body: { keys: [late], detail: `Late: ${late}` } }],
    [aMomentBefore(time), {}, { status: 200 }],
  ] as const) {
    const api = newApi(settings);
    await make(since, api);
    expect(await api.health()).toMatchObject(expected);
    expect(api.logged.filter(({ event }) => event === "unwell")).toHaveLength(expected.status === 503 ? 1 : 0);
  }
});

test("a message for the console is due; without a console it waits", async () => {
  for (const [settings, oldest_due_seconds] of [
    [{}, 120],
    [NO_CONSOLE, 0],
  ] as const) {
    const api = newApi(settings);
    await api.message("account-created", "due", minutesAgo(2));
    expect((await api.health()).body).toMatchObject({ oldest_due_seconds });
  }
});
