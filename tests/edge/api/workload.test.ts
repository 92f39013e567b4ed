import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { fastApi } from "../../support/fast-api/build";
import { rows, signUp, validRequest } from "../../support/visitors/visitor";
import { type DeployedApi, startDeployedApi } from "../../support/workers/deployed-api";
import { type RunningWorker, runScheduled, startBackend, startSubscriptionApi } from "../../support/workers/workers";

/* What /health tells of the work that is left. */

const answer = z.object({
  status: z.union([z.string(), z.number()]),
  keys: z.array(z.string()).optional(),
  detail: z.string().optional(),
  release: z.string().optional(),
  dead_messages: z.number(),
  due_messages: z.number(),
  oldest_due_seconds: z.number(),
  last_cron_run: z.string().nullable(),
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function ranAt(api: RunningWorker, ran: string | null, created = minutesAgo(60)): Promise<void> {
  await rows(api, "UPDATE cron_runs SET ran_at = ?, created_at = ?", ran, created);
}

/** Messages that have been due since then. */
async function due(api: RunningWorker, kind: string, since: string, count = 1): Promise<void> {
  const id = crypto.randomUUID();
  await rows(
    api,
    `INSERT INTO sign_ups (id, idempotency_key, email, password_hash, phone, company_name, full_name, address, city, state,
       zip_code, country, created_at, updated_at) VALUES (?1, ?1, 'd@example.com', '', '', '', '', '', '', '', '', '', ?2, ?2)`,
    id,
    since,
  );
  for (let n = 0; n < count; n += 1) {
    await rows(
      api,
      "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?, ?, ?, ?, ?)",
      crypto.randomUUID(),
      id,
      kind,
      since,
      minutesAgo(10_000),
    );
  }
}

describe("in production", () => {
  let deployed: DeployedApi;
  let api: RunningWorker;
  beforeAll(async () => {
    deployed = await startDeployedApi();
    ({ api } = deployed);
    await rows(api, "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  });
  afterAll(() => deployed.dispose());
  beforeEach(async () => {
    await rows(api, "DELETE FROM outbox");
    await ranAt(api, minutesAgo(1));
  });

  const health = async () => {
    const response = await deployed.ask("/health");
    return { status: response.status, body: answer.parse(await response.json()) };
  };

  it("/health is well, and says what is left to do [W3]", async () => {
    const ran = minutesAgo(1);
    await ranAt(api, ran);
    await due(api, "trial-ending", minutesAgo(2), 3);
    await due(api, "trial-ending", minutesAgo(-60));
    const { status, body } = await health();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: "ok", release: expect.any(String), dead_messages: 0, due_messages: 3, last_cron_run: ran },
    });
    expect(body.oldest_due_seconds).toBeGreaterThanOrEqual(120);
    expect(body.oldest_due_seconds).toBeLessThan(180);
  });

  it("/health says when the cron handler last came to its end, which a failing part keeps it from [W3]", async () => {
    await ranAt(api, null, minutesAgo(0));
    await runScheduled(api);
    const { last_cron_run: first } = (await health()).body;
    expect(Date.now() - Date.parse(first ?? "")).toBeLessThan(60_000);

    await rows(api, "ALTER TABLE sign_up_counts RENAME TO away");
    await runScheduled(api);
    await rows(api, "ALTER TABLE away RENAME TO sign_up_counts");
    expect((await health()).body.last_cron_run).toBe(first);
  });

  it.each<[string, string | null, string, number]>([
    ["ran less than ten minutes ago", minutesAgo(9.8), minutesAgo(600), 200],
    ["ran more than ten minutes ago", minutesAgo(10.1), minutesAgo(600), 503],
    ["never ran, on a database of less than 30 minutes", null, minutesAgo(29.8), 200],
    ["never ran, on a database of more than 30 minutes", null, minutesAgo(30.1), 503],
  ])("where the cron handler %s, /health knows [W3]", async (_name, ran, created, status) => {
    await ranAt(api, ran, created);
    const found = await health();
    expect(found.status).toBe(status);
    if (status === 503) {
      expect(found.body).toMatchObject({
        keys: ["cron"],
        last_cron_run: ran,
        detail: expect.stringMatching(/^Unwell: /),
      });
      await expect.poll(() => api.logs).toContainEqual(expect.objectContaining({ event: "unwell", keys: ["cron"] }));
    }
  });

  it("a message that is due for over 15 minutes is unwell, one that waits for a console is not [W3]", async () => {
    await due(api, "account-created", minutesAgo(600));
    await due(api, "trial-started", minutesAgo(14.9));
    expect(await health()).toMatchObject({ status: 200, body: { due_messages: 1 } });
    await due(api, "card-used", minutesAgo(15.1));
    const { status, body } = await health();
    expect({ status, keys: body.keys, due: body.due_messages }).toEqual({ status: 503, keys: ["outbox"], due: 2 });
    expect(body.oldest_due_seconds).toBeGreaterThanOrEqual(15 * 60);
    await ranAt(api, minutesAgo(11));
    expect((await health()).body.keys).toEqual(["cron", "outbox"]);
  });

  it("a message that an operator has just made due again is not late [W3]", async () => {
    await due(api, "trial-started", minutesAgo(600));
    await rows(api, "UPDATE outbox SET next_attempt_at = ''");
    expect(await health()).toMatchObject({ status: 200, body: { due_messages: 1, oldest_due_seconds: 0 } });
  });
});

it("on this machine, which may have been switched off for days, /health is well and says so [W3]", async () => {
  const { api, dispose } = await startBackend(await fastApi());
  await ranAt(api, minutesAgo(10_000));
  await due(api, "trial-ending", minutesAgo(10_000));
  const response = await fetch(`${api.url}/health`);
  expect(response.status).toBe(200);
  expect(answer.parse(await response.json())).toMatchObject({ status: "ok", due_messages: 1 });
  await dispose();
});

describe("a database that fails in passing", () => {
  const MESSAGES = {
    lost: "D1_ERROR: Network connection lost.",
    reset: "D1_ERROR: D1 DB reset because its code was updated.",
    overloaded: "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    slow: "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    broken: "D1_ERROR: no such column: nothing: SQLITE_ERROR",
  };
  const failures: { sql: string; message: string; when: "before" | "after"; times: number }[] = [];
  let asked = 0;
  /** Whether a statement fails before, or after, its work. */
  async function answerFailure(request: Request): Promise<Response> {
    const { sql, when } = z.object({ sql: z.string(), when: z.string() }).parse(await request.json());
    const failure = failures.find((one) => sql.includes(one.sql));
    if (when === "before" && failure) asked += 1;
    if (!failure || failure.when !== when || failure.times === 0) return new Response("");
    failure.times -= 1;
    return new Response(failure.message);
  }
  let api: RunningWorker;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    const backend = await startBackend(await fastApi());
    api = await startSubscriptionApi({
      simulatorUrl: backend.stripe.url,
      wrapper: { script: FAILING, services: { FAILURES: answerFailure } },
      ...(await fastApi()),
    });
    dispose = async () => {
      await Promise.all([api.dispose(), backend.dispose()]);
    };
  });
  afterAll(() => dispose());
  beforeEach(() => {
    failures.length = 0;
    asked = 0;
  });

  const fail = (sql: string, message: keyof typeof MESSAGES, when: "before" | "after", times: number) =>
    failures.push({ sql, message: MESSAGES[message], when, times });
  const post = async () => {
    const response = await fetch(`${api.url}/subscription`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ ...validRequest, email: `${crypto.randomUUID()}@example.com` }),
    });
    await response.text();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };
  const signUpsNow = async () => Number((await rows(api, "SELECT count(*) AS n FROM sign_ups"))[0]?.n);

  it.each([
    ["lost", "before"],
    ["lost", "after"],
    ["reset", "after"],
  ] as const)("%s %s the write: the write is sent again, and done once [W4]", async (message, when) => {
    const before = await signUpsNow();
    fail("INSERT INTO sign_ups (", message, when, 2);
    expect(await post()).toEqual({ status: 200, retryAfter: null });
    expect(asked).toBe(3);
    expect(await signUpsNow()).toBe(before + 1);
  });

  it.each([
    ["lost", 3],
    ["overloaded", 1],
    ["slow", 1],
  ] as const)("%s for long: after %i attempts the answer is 503 with Retry-After [W4]", async (message, attempts) => {
    fail("INSERT INTO sign_ups (", message, "before", 100);
    expect(await post()).toEqual({ status: 503, retryAfter: "2" });
    expect(asked).toBe(attempts);
    await expect
      .poll(() => api.logs)
      .toContainEqual(expect.objectContaining({ event: "database_failed_in_passing", level: "warn" }));
  });

  it.each(["INSERT INTO sign_up_counts", "UPDATE outbox SET attempts", "UPDATE sign_ups SET check_at"])(
    "%s, which would count twice, is sent once [W4]",
    async (sql) => {
      fail(sql, "lost", "after", 1);
      if (sql.startsWith("INSERT")) expect((await post()).status).toBe(503);
      else await runScheduled(api);
      // The handler goes on with its other parts, which ask once each.
      const parts = {
        "INSERT INTO sign_up_counts": 1,
        "UPDATE outbox SET attempts": 3,
        "UPDATE sign_ups SET check_at": 3,
      };
      expect(asked).toBe(Reflect.get(parts, sql));
    },
  );

  it("that is broken is a 500, at once [W4]", async () => {
    fail("INSERT INTO sign_ups (", "broken", "before", 100);
    expect((await post()).status).toBe(500);
    expect(asked).toBe(1);
  });

  it("a statement that only reads is D1's to repeat [W4]", async () => {
    fail("SELECT * FROM sign_ups WHERE idempotency_key", "lost", "before", 1);
    expect((await post()).status).toBe(503);
    expect(asked).toBe(1);
    expect((await signUp(api, { email: "well@example.com" })).status).toBe(200);
  });
});

/** The API over a database that asks a service whether to fail, before and after its work. */
const FAILING = /* js */ `
import worker from "./worker.js";

class Statement {
  constructor(real, sql, guard) { Object.assign(this, { real, sql, guard }); }
  bind(...values) { return new Statement(this.real.bind(...values), this.sql, this.guard); }
  first(...given) { return this.guard(this.sql, () => this.real.first(...given)); }
  run() { return this.guard(this.sql, () => this.real.run()); }
  all() { return this.guard(this.sql, () => this.real.all()); }
}

function failing({ DB, ...env }) {
  const ask = async (sql, when) => {
    const body = JSON.stringify({ sql, when });
    const message = await (await env.FAILURES.fetch("http://failures", { method: "POST", body })).text();
    if (message !== "") throw new Error(message);
  };
  const guard = async (sql, work) => {
    await ask(sql, "before");
    const result = await work();
    await ask(sql, "after");
    return result;
  };
  return {
    ...env,
    DB: {
      prepare: (sql) => new Statement(DB.prepare(sql), sql, guard),
      batch: (all) => guard(all.map(({ sql }) => sql).join("; "), () => DB.batch(all.map(({ real }) => real))),
    },
  };
}

export default {
  ...worker,
  fetch: (request, env, context) => worker.fetch(request, failing(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, failing(env), context),
};
`;
