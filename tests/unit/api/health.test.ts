import { expect, test, vi } from "vitest";
import { apiInProcess, type Upstream } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { DEPLOYED } from "../../support/api-in-process/settings";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const aMomentBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString();

stopClock(NOW);

/** An API whose cron ran a minute ago, with all its prices. */
function newApi(settings: Record<string, unknown> = DEPLOYED, upstream?: Upstream) {
  const statements: string[] = [];
  const io = async <T>(sql: string, effect: () => T) => {
    statements.push(sql);
    return effect();
  };
  const api = apiInProcess({ settings, io, ...(upstream && { upstream }) });
  const { rows } = api;
  rows("UPDATE cron_runs SET ran_at = ?", minutesAgo(1));
  rows("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  return {
    ...api,
    statements,
    async message(kind: string, state: string, time: string) {
      const { id } = await api.signUp();
      const sql = `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at, settled_at)
        VALUES (?1, ?1, ?2, ?3, ?4, ?4, ?5)`;
      rows(sql, id, kind, state, time, state === "sent" ? time : null);
    },
    async health() {
      const answer = await api.ask(settings === DEPLOYED ? "https://api.example/health" : "/health");
      return { status: answer.status, body: await answer.json() };
    },
  };
}

test("a healthy API tells its release and what is left to do, and asks nobody but its database", async () => {
  const { health, calls } = newApi();
  const idle = { dead_messages: 0, due_messages: 0, oldest_due_seconds: 0, last_stripe_event: null };
  const body = { status: "ok", release: "a-release", commit: "unknown", ...idle, last_cron_run: minutesAgo(1) };
  expect(await health()).toEqual({ status: 200, body });
  expect(calls).toEqual([]);
});

test("an answer is kept for 30 seconds; of a hundred requests at its end one checks again, and of a failure after 5", async () => {
  const { health, statements, rows } = newApi();
  const checks = async (at: number, requests = 1) => {
    vi.setSystemTime(NOW + at);
    const before = statements.length;
    await Promise.all(Array.from({ length: requests }, health));
    return statements.length - before;
  };
  const once = await checks(0);
  expect(await checks(29_999)).toBe(0);
  rows("UPDATE cron_runs SET ran_at = ?", minutesAgo(60));
  expect(await checks(30_000, 100)).toBe(once);
  expect(await checks(34_999)).toBe(0);
  expect(await checks(35_000)).toBe(once);
});

const refused = (status: number) => Response.json({ error: { type: "api_error" } }, { status });

test.each<[string, Upstream, string, string | undefined]>([
  ["answers", () => Response.json({ data: [] }), "", undefined],
  ["does not know the key", () => refused(401), "STRIPE_SECRET_KEY", "Stripe does not know the secret key"],
  [
    "forbids the key a part",
    ({ pathname }) => (pathname === "/v1/prices" ? refused(403) : Response.json({ data: [] })),
    "STRIPE_SECRET_KEY",
    "The secret key may not read: prices, products",
  ],
  [
    "is out, whatever else",
    ({ pathname }) => (pathname === "/v1/prices" ? refused(403) : refused(503)),
    "stripe",
    "Stripe cannot be reached",
  ],
])(
  "the cron handler asks Stripe: after it %s, the answer is told until the next run",
  async (_, upstream, key, detail) => {
    const { health, runScheduled, logged } = newApi(DEPLOYED, upstream);
    await runScheduled();
    expect(await health()).toMatchObject(
      detail === undefined ? { status: 200 } : { status: 503, body: { keys: [key], detail } },
    );
    expect(logged.filter(({ event }) => event === "stripe_inaccessible")).toHaveLength(detail === undefined ? 0 : 1);
  },
);

test.each<[string, string, (api: ReturnType<typeof newApi>) => unknown]>([
  ["maintenance", "MAINTENANCE", () => undefined],
  ["a database without the latest migration", "DB", ({ rows }) => rows("DROP TABLE cron_runs")],
  [
    "a package without a price",
    "packages",
    ({ rows }) => rows("UPDATE packages SET stripe_price_id = 'price_mini' WHERE name = 'MINI'"),
  ],
])("%s is named", async (_, key, change) => {
  const api = newApi({ ...DEPLOYED, ...(key === "MAINTENANCE" && { MAINTENANCE: "true" }) });
  change(api);
  const answer = await api.ask("https://api.example/health");
  expect([answer.status, await answer.json()]).toMatchObject([503, { keys: [key] }]);
});

test.each<[string, string, string, (time: string, api: ReturnType<typeof newApi>) => unknown]>([
  ["the last cron run", "cron", minutesAgo(10), (time, { rows }) => rows("UPDATE cron_runs SET ran_at = ?", time)],
  [
    "a database without a cron run",
    "cron",
    minutesAgo(30),
    (time, { rows }) => rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", time),
  ],
  ["a due message", "outbox", minutesAgo(15), (time, api) => api.message("card-used", "due", time)],
  ["a trial without an event", "webhooks", minutesAgo(30), (time, api) => api.message("trial-started", "sent", time)],
  [
    "a trial that began more than a minute after Stripe's last event",
    "webhooks",
    minutesAgo(30),
    async (time, api) => {
      api.rows("INSERT INTO stripe_events VALUES ('evt_1', 'invoice.paid', ?)", minutesAgo(31.5));
      await api.message("trial-started", "sent", time);
    },
  ],
])("%s makes %s late just after %s, not before, and never in local development", async (_, late, time, make) => {
  for (const [since, settings, expected] of [
    [time, DEPLOYED, { status: 200 }],
    [
      aMomentBefore(time),
      DEPLOYED,
      { status: 503, body: { keys: [late], detail: expect.stringMatching(/^Unwell: /) } },
    ],
    [aMomentBefore(time), {}, { status: 200 }],
  ] as const) {
    const api = newApi(settings);
    await make(since, api);
    expect(await api.health()).toMatchObject(expected);
    expect(api.logged.filter(({ event }) => event === "unwell")).toHaveLength(expected.status === 503 ? 1 : 0);
  }
});

test.each([
  ["is configured", {}, { due_messages: 1, oldest_due_seconds: 120 }],
  ["is missing", { CONSOLE_WEBHOOK_URL: undefined, CONSOLE_WEBHOOK_SECRET: undefined }, { due_messages: 0 }],
])("a message for a console that %s is due or waits", async (_, settings, expected) => {
  const api = newApi(settings);
  await api.message("account-created", "due", minutesAgo(2));
  expect((await api.health()).body).toMatchObject(expected);
});
