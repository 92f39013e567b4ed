import { expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { NOW, stopClock } from "../../../support/clock";

stopClock();

const ago = (ms: number) => new Date(NOW - ms).toISOString();

/** An API whose cron ran a minute ago: a deployment without a console, or a developer's with one. */
function healthyApi({ isLocal = false } = {}) {
  const api = apiInProcess({ settings: isLocal ? {} : DEPLOYED });
  const lastCronRun = (ranAt: string) => api.rows("UPDATE cron_runs SET ran_at = ?", ranAt);
  lastCronRun(ago(MINUTE));
  const addMessage = async (kind: string, at: string, state = "due") => {
    const { id } = await api.signUp();
    const message = "INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)";
    api.rows(`${message} VALUES (?1, ?1, ?2, ?3, ?4, ?4)`, id, kind, state, at);
  };
  const health = () => api.ask(isLocal ? "/health" : "https://api.example/health");
  return { ...api, health, lastCronRun, addMessage };
}

test("a healthy API reports its release, its last cron run and its messages, except those without a receiver, and asks only its database", async () => {
  const { health, addMessage, calls } = healthyApi();
  await addMessage("card-used", ago(HOUR), "dead");
  await addMessage("account-created", ago(HOUR));
  await addMessage("card-used", ago(MINUTE));
  const answer = await health();
  expect(answer).toHaveStatus(200);
  const work = { last_cron_run: ago(MINUTE), oldest_due_seconds: 60, dead_messages: 1 };
  expect(await answer.json()).toEqual({ status: "ok", release: "a-release", commit: "unknown", ...work });
  expect(calls).toEqual([]);
});

test("one check answers a hundred requests at once, and all others for ten seconds", async () => {
  const { health, lastCronRun, d1 } = healthyApi();
  const prepare = vi.spyOn(d1, "prepare");
  const answers = await Promise.all(Array.from({ length: 100 }, health));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(prepare.mock.calls.filter(([sql]) => sql.includes("cron_runs"))).toHaveLength(1);
  lastCronRun(ago(HOUR));
  vi.setSystemTime(NOW + 9_999);
  expect(await health()).toHaveStatus(200);
  vi.setSystemTime(NOW + 10_000);
  expect(await health()).toHaveStatus(503);
});

test("a developer sees at once that the database has the latest migration, and what is due for the console", async () => {
  const { health, addMessage, rows } = healthyApi({ isLocal: true });
  rows("ALTER TABLE cron_runs RENAME TO not_yet_migrated");
  const answer = await health();
  expect(answer).toBeProblem(503, "The service is not healthy");
  expect(await answer.json()).toMatchObject({ keys: ["DB"] });
  rows("ALTER TABLE not_yet_migrated RENAME TO cron_runs");
  await addMessage("account-created", ago(HOUR));
  expect(await (await health()).json()).toMatchObject({ status: "ok", oldest_due_seconds: 3_600 });
});

type Api = ReturnType<typeof healthyApi>;
const neverRan = ({ rows }: Api, at: string) => rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", at);

test.each<{ what: string; key: string; minutes: number; begin: (api: Api, at: string) => unknown }>([
  { what: "the last cron run", key: "cron", minutes: 10, begin: (api, at) => api.lastCronRun(at) },
  { what: "a deployment without a cron run", key: "cron", minutes: 30, begin: neverRan },
  { what: "a due message", key: "outbox", minutes: 15, begin: (api, at) => api.addMessage("card-used", at) },
])("$what is late after $minutes minutes, which a deployment answers and logs", async ({ key, minutes, begin }) => {
  const inTime = healthyApi();
  await begin(inTime, ago(minutes * MINUTE));
  expect(await inTime.health()).toHaveStatus(200);
  const late = healthyApi();
  await begin(late, ago(minutes * MINUTE + 1));
  const answer = await late.health();
  expect(answer).toBeProblem(503, "The service is not healthy");
  expect(await answer.json()).toMatchObject({ keys: [key], detail: `Late: ${key}` });
  expect(late.logged).toContainEqual(expect.objectContaining({ on: "error", event: "unwell", keys: [key] }));
  const local = healthyApi({ isLocal: true });
  await begin(local, ago(minutes * MINUTE + 1));
  expect(await local.health()).toHaveStatus(200);
});
