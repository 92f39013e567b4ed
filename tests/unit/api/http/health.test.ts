import { describe, expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { stopClock } from "../../../support/clock";

/* The API's `GET /health`, for monitoring. */

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const MINUTE = 60_000;
const ago = (ms: number) => new Date(NOW - ms).toISOString();

stopClock(NOW);

/** An API whose cron ran a minute ago. */
function healthyApi(settings: Record<string, unknown>, origin: string) {
  let checks = 0;
  const api = apiInProcess({
    settings,
    io: async (label, effect) => {
      if (label.includes("cron_runs")) checks += 1;
      return effect();
    },
  });
  const lastCronRun = (ranAt: string) => api.rows("UPDATE cron_runs SET ran_at = ?", ranAt);
  lastCronRun(ago(MINUTE));
  return {
    ...api,
    lastCronRun,
    checks: () => checks,
    firstDeployed: (at: string) => api.rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", at),
    /** Adds a message that is to be sent at this time. */
    async addMessage({ kind, state, at }: { kind: string; state: string; at: string }) {
      const { id } = await api.signUp();
      api.rows(
        `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)
         VALUES (?1, ?1, ?2, ?3, ?4, ?4)`,
        id,
        kind,
        state,
        at,
      );
    },
    health: () => api.ask(`${origin}/health`),
  };
}

/** Has no console. */
const deployedApi = () => healthyApi(DEPLOYED, "https://api.example");
/** Has the local console. */
const localApi = () => healthyApi({}, "");

test("a healthy API reports its release and when its cron last ran", async () => {
  const { health } = deployedApi();
  const answer = await health();
  expect(answer).toHaveStatus(200);
  expect(await answer.json()).toEqual({
    status: "ok",
    release: "a-release",
    commit: "unknown",
    last_cron_run: "2026-03-01T11:59:00.000Z",
    oldest_due_seconds: 0,
    dead_messages: 0,
  });
});

test("a healthy API counts the messages that it has given up on", async () => {
  const { health, addMessage } = deployedApi();
  await addMessage({ kind: "card-used", state: "dead", at: ago(60 * MINUTE) });
  const answer = await health();
  expect(answer).toHaveStatus(200);
  expect(await answer.json()).toMatchObject({ dead_messages: 1, oldest_due_seconds: 0 });
});

test("a key of the wrong mode for the stage is named", async () => {
  const { health } = healthyApi({ ...DEPLOYED, STAGE: "production" }, "https://api.example");
  expect(await (await health()).json()).toMatchObject({ status: 503, keys: ["STRIPE_SECRET_KEY"] });
});

test("only the database is asked", async () => {
  const { health, calls } = deployedApi();
  await health();
  expect(calls).toEqual([]);
});

describe("an answer is kept for ten seconds", () => {
  test("so a hundred requests at once make one check", async () => {
    const { health, checks } = deployedApi();
    const answers = await Promise.all(Array.from({ length: 100 }, health));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(checks()).toBe(1);
  });

  test("so a late cron run is not reported before they have passed", async () => {
    const { health, lastCronRun } = deployedApi();
    await health();
    lastCronRun(ago(60 * MINUTE));
    vi.setSystemTime(NOW + 9_999);
    expect(await health()).toHaveStatus(200);
  });

  test("so a late cron run is reported once they have passed", async () => {
    const { health, lastCronRun } = deployedApi();
    await health();
    lastCronRun(ago(60 * MINUTE));
    vi.setSystemTime(NOW + 10_000);
    expect(await health()).toHaveStatus(503);
  });

  test("but a developer sees at once that the database is there", async () => {
    const { health, rows } = localApi();
    rows("ALTER TABLE cron_runs RENAME TO not_yet_migrated");
    expect(await health()).toHaveStatus(503);
    rows("ALTER TABLE not_yet_migrated RENAME TO cron_runs");
    expect(await health()).toHaveStatus(200);
  });
});

test("a database without the latest migration is named", async () => {
  const { health, rows } = deployedApi();
  rows("DROP TABLE cron_runs");
  const answer = await health();
  expect(answer).toBeProblem(503, "The service is not healthy");
  expect(await answer.json()).toMatchObject({ keys: ["DB"] });
});

type Api = ReturnType<typeof healthyApi>;
type Work = {
  what: string;
  /** The key in the answer. */
  key: string;
  /** It is late when it is older than this. */
  minutes: number;
  makeItAsOldAs: (api: Api, time: string) => unknown;
};

describe.each<Work>([
  { what: "the last cron run", key: "cron", minutes: 10, makeItAsOldAs: (api, time) => api.lastCronRun(time) },
  {
    what: "a deployment without a cron run",
    key: "cron",
    minutes: 30,
    makeItAsOldAs: (api, time) => api.firstDeployed(time),
  },
  {
    what: "a due message",
    key: "outbox",
    minutes: 15,
    makeItAsOldAs: (api, time) => api.addMessage({ kind: "card-used", state: "due", at: time }),
  },
])("$what", ({ key, minutes, makeItAsOldAs }) => {
  const limit = ago(minutes * MINUTE);
  const pastTheLimit = ago(minutes * MINUTE + 1);

  test(`is in time at an age of ${minutes} minutes`, async () => {
    const api = deployedApi();
    await makeItAsOldAs(api, limit);
    expect(await api.health()).toHaveStatus(200);
  });

  test(`is late after ${minutes} minutes, which the answer names`, async () => {
    const api = deployedApi();
    await makeItAsOldAs(api, pastTheLimit);
    const answer = await api.health();
    expect(answer).toBeProblem(503, "The service is not healthy");
    expect(await answer.json()).toMatchObject({ keys: [key], detail: `Late: ${key}` });
  });

  test("is logged once if it is late", async () => {
    const api = deployedApi();
    await makeItAsOldAs(api, pastTheLimit);
    await api.health();
    const lines = api.logged.filter(({ event }) => event === "unwell");
    expect(lines).toEqual([expect.objectContaining({ on: "error", keys: [key] })]);
  });

  test("is never late in local development", async () => {
    const api = localApi();
    await makeItAsOldAs(api, pastTheLimit);
    expect(await api.health()).toHaveStatus(200);
    expect(api.logged.map(({ event }) => event)).not.toContain("unwell");
  });
});

test("a message for the console is due where there is a console", async () => {
  const { health, addMessage } = localApi();
  await addMessage({ kind: "account-created", state: "due", at: ago(60 * MINUTE) });
  expect(await (await health()).json()).toMatchObject({ oldest_due_seconds: 3_600 });
});

test("a message for the console waits where there is none, and is not late", async () => {
  const { health, addMessage } = deployedApi();
  await addMessage({ kind: "account-created", state: "due", at: ago(60 * MINUTE) });
  const answer = await health();
  expect(answer).toHaveStatus(200);
  expect(await answer.json()).toMatchObject({ oldest_due_seconds: 0 });
});
