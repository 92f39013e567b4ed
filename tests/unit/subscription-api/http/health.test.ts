import { Hono } from "hono";
import { beforeEach, expect, test, vi } from "vitest";
import { healthCheck } from "../../../../functions/subscription-api/http/health";
import { stopClock } from "../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../support/api-in-process/database";
import { DEPLOYED, SETTINGS } from "../../../support/api-in-process/settings";

const NOW = "2026-03-01T12:00:00.000Z";
const minutesAgo = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

let logged: unknown[];
/** What Stripe answers to a path; all that is read is there unless a test says otherwise. */
let stripe: (path: string) => Response;

stopClock(Date.parse(NOW));
beforeEach(() => {
  logged = [];
  stripe = () => Response.json({ data: [] });
  vi.spyOn(console, "error").mockImplementation((line) => logged.push(JSON.parse(line)));
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    return stripe(new URL(String(url)).pathname);
  });
});

/** An API of its own. */
function newApi(settings: Record<string, unknown> = {}) {
  const { d1, rows, signUp } = databaseInMemory();
  const env = {
    ...SETTINGS,
    ...settings,
    STRIPE_SECRET_KEY: "sk_test_0123456789abcdef",
    DB: d1,
  };
  rows("UPDATE cron_runs SET ran_at = ?", minutesAgo(1));
  return {
    rows,
    async due(kind: string, since = minutesAgo(2)) {
      const { id } = await signUp();
      const sql = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?1, ?3, ?3)";
      rows(sql, kind, id, since);
    },
    /** A trial began, and its email went out at once. */
    async started(at: string) {
      const { id } = await signUp();
      const sql = `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at, settled_at)
        VALUES (?1, ?1, 'trial-started', 'sent', ?2, ?2, ?2)`;
      rows(sql, id, at);
    },
    async health() {
      // Another isolate each time: what one has found it keeps, as health-together.test.ts tests.
      const answer = await new Hono().get("/health", healthCheck()).request("/health", undefined, env);
      return { status: answer.status, body: await answer.json(), cache: answer.headers.get("cache-control") };
    },
  };
}

test("a healthy API reports its release and the outstanding work, uncached [W3]", async () => {
  const { health } = newApi();
  expect(await health()).toEqual({
    status: 200,
    cache: "no-store",
    body: {
      status: "ok",
      release: "a-release",
      commit: "unknown",
      dead_messages: 0,
      due_messages: 0,
      oldest_due_seconds: 0,
      last_cron_run: minutesAgo(1),
      last_stripe_event: null,
    },
  });
  expect(logged).toEqual([]);
});

test("missing settings are named in the response and in the log", async () => {
  const { health } = newApi({ MAIL_FROM: undefined, COMPANY_NAME: undefined });
  const { status, body } = await health();
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      type: "about:blank",
      status: 503,
      title: "The service is not healthy",
      keys: ["COMPANY_NAME", "MAIL_FROM"],
    },
  });
  expect(logged).toMatchObject([{ event: "configuration_invalid", keys: ["COMPANY_NAME", "MAIL_FROM"] }]);
});

test("a database without the latest migration is named", async () => {
  const { health, rows } = newApi();
  rows("DROP TABLE cron_runs");
  expect(await health()).toMatchObject({ status: 503, body: { keys: ["DB"] } });
  expect(logged).toMatchObject([{ event: "database_unavailable" }]);
});

const refused = (status: number) => () => Response.json({ error: { type: "api_error" } }, { status });

test.each<[string, (path: string) => Response, object, object]>([
  [
    "an unknown key",
    refused(401),
    { keys: ["STRIPE_SECRET_KEY"], detail: "Stripe does not know the secret key" },
    { reason: "wrong-key" },
  ],
  [
    "a key without permission for prices and products",
    (path) => (path === "/v1/prices" ? refused(403)() : Response.json({ data: [] })),
    { keys: ["STRIPE_SECRET_KEY"], detail: "The secret key may not read: prices, products" },
    { reason: "no-permission", lacks: ["prices, products"] },
  ],
  [
    "an outage",
    (path) => (path === "/v1/prices" ? refused(403)() : refused(503)()),
    { keys: ["stripe"], detail: "Stripe cannot be reached" },
    { reason: "unavailable" },
  ],
])("a health check reports %s at Stripe [G15]", async (_, answers, said, line) => {
  const { health } = newApi();
  stripe = answers;
  expect(await health()).toMatchObject({ status: 503, body: said });
  expect(logged.at(-1)).toMatchObject({ event: "stripe_inaccessible", ...line });
});

test("a deployment with a package without a Stripe price is unhealthy", async () => {
  const { health, rows } = newApi(DEPLOYED);
  rows("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  expect(await health()).toMatchObject({ status: 200 });
  rows("UPDATE packages SET stripe_price_id = 'price_mini' WHERE name = 'MINI'");
  expect(await health()).toMatchObject({ status: 503, body: { keys: ["packages"] } });
  expect(logged).toMatchObject([{ event: "catalog_incomplete" }]);
});

const aMomentBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString();

test.each<[string, string, string, (time: string, api: ReturnType<typeof newApi>) => unknown]>([
  ["the last cron run", "cron", minutesAgo(10), (time, { rows }) => rows("UPDATE cron_runs SET ran_at = ?", time)],
  [
    "a database without a cron run",
    "cron",
    minutesAgo(30),
    (time, { rows }) => rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", time),
  ],
  ["a due message", "outbox", minutesAgo(15), (time, api) => api.due("card-used", time)],
  ["a trial without a Stripe event", "webhooks", minutesAgo(30), (time, api) => api.started(time)],
  [
    "a trial that began more than a minute after Stripe's last event",
    "webhooks",
    minutesAgo(30),
    async (time, api) => {
      api.rows("INSERT INTO stripe_events VALUES ('evt_1', 'invoice.paid', ?)", minutesAgo(31.5));
      await api.started(time);
    },
  ],
])("%s makes %s late just after %s, not before [W3]", async (_, late, time, make) => {
  for (const [since, expected] of [
    [time, { status: 200 }],
    [aMomentBefore(time), { status: 503, body: { keys: [late] } }],
  ] as const) {
    const api = newApi(DEPLOYED);
    api.rows("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
    await make(since, api);
    expect(await api.health()).toMatchObject(expected);
  }
});

test("a trial that an event started needs no other event [W3]", async () => {
  const api = newApi(DEPLOYED);
  api.rows("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  api.rows("INSERT INTO stripe_events VALUES ('evt_1', 'setup_intent.succeeded', ?)", minutesAgo(45.5));
  await api.started(minutesAgo(45));
  expect(await api.health()).toMatchObject({ status: 200, body: { last_stripe_event: minutesAgo(45.5) } });
});

test("in local development nothing is late, since the machine may have been off [W3]", async () => {
  const api = newApi();
  api.rows("UPDATE cron_runs SET ran_at = ?", minutesAgo(10_000));
  await api.started(minutesAgo(10_000));
  await api.due("trial-ending", minutesAgo(10_000));
  expect(await api.health()).toMatchObject({ status: 200, body: { status: "ok", due_messages: 1 } });
});

test("everything late is reported together, in the response and in the log [W3]", async () => {
  const { health, rows } = newApi(DEPLOYED);
  rows("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  rows("UPDATE cron_runs SET ran_at = NULL, created_at = ?", minutesAgo(31));
  expect(await health()).toMatchObject({
    status: 503,
    body: {
      title: "The service is not healthy",
      keys: ["cron"],
      detail: "Unwell: the cron handler has not come to its end for too long",
      last_cron_run: null,
    },
  });
  expect(logged).toMatchObject([{ event: "unwell", keys: ["cron"], last_cron_run: "never" }]);
  rows("UPDATE cron_runs SET ran_at = ?", minutesAgo(11));
  await health();
  expect(logged[1]).toMatchObject({ event: "unwell", last_cron_run: minutesAgo(11) });
});

test.each([
  ["configured", {}, 1, 120],
  ["missing", { CONSOLE_WEBHOOK_URL: undefined, CONSOLE_WEBHOOK_SECRET: undefined }, 0, 0],
])("a message for the console is due if the console is %s [W3]", async (_, settings, due, seconds) => {
  const api = newApi(settings);
  await api.due("account-created");
  expect((await api.health()).body).toMatchObject({ due_messages: due, oldest_due_seconds: seconds });
});
