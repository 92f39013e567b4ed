import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { ALERTS, type Count, isFiring, logsOf, nameOf } from "../../../tools/alerts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const alertOf = (start: string) => ALERTS.find((alert) => nameOf(alert).startsWith(start)) ?? expect.unreachable(start);

/** Counts by event; `last week` is the same event a week before. */
const countOf =
  (counts: Record<string, number>): Count =>
  async ({ events }, _within, until) =>
    counts[until < NOW ? "last week" : (events[0] ?? "")] ?? 0;

test.each<[string, Record<string, number>, boolean]>([
  ["signup_failed", { signup_failed: 5 }, false],
  ["signup_failed", { signup_failed: 6 }, true],
  ["sign_up_accepted", {}, false],
  ["sign_up_accepted", { sign_up_accepted: 3, event_processed: 1 }, false],
  ["sign_up_accepted", { sign_up_accepted: 3 }, true],
  ["signup_refused", { signup_refused: 20, request: 100 }, false],
  ["signup_refused", { signup_refused: 21, request: 100 }, true],
  ["request", { request: 1, "last week": 50 }, false],
  ["request", { request: 0, "last week": 9 }, false],
  ["request", { request: 0, "last week": 10 }, true],
])("the alert %s with the counts %j fires: %s", async (start, counts, fires) => {
  expect(await isFiring(alertOf(start), countOf(counts), NOW)).toBe(fires);
});

test("the alerts equal the runbook's tables, in order and level", () => {
  const documented: [string, string][] = [];
  let level = "";
  let isInside = false;
  const runbook = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  for (const text of runbook.split("\n")) {
    if (text.startsWith("## ")) isInside = text === "## Alerts";
    if (text === "Wake somebody:") level = "wake";
    if (text.startsWith("Look at them")) level = "tomorrow";
    const [, cell = ""] = /^\| (`[a-z_]+`[^|]*)\|/.exec(text) ?? [];
    const events = [...(cell.split(/ without | with /)[0] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, event]) => event);
    if (isInside && events.length > 0) documented.push([level, events.join(" or ")]);
  }
  const known = new Set(
    [...runbook.matchAll(/^\| (`[a-z_`, ]+) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[a-z_]+/g) ?? []),
  );
  for (const event of ALERTS.flatMap(({ events }) => events)) expect(known).toContain(event);
  expect(documented).toEqual(ALERTS.map(({ level, events }) => [level, events.join(" or ")]));
});

test("Cloudflare is asked for the lines of both Workers, and keeps each query once", async () => {
  const asked: { path: string | undefined; token: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const isList = request.method === "GET";
    const body = isList ? undefined : await json(request);
    asked.push({ path: request.url, token: request.headers.authorization, body });
    const names = ALERTS.slice(1).map((alert) => ({ name: nameOf(alert) }));
    const result = isList ? names : { calculations: [{ aggregates: [{ value: 7 }] }] };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ result }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { count, save } = logsOf(["site", "api"], {
    CLOUDFLARE_API_TOKEN: "the-token",
    CLOUDFLARE_ACCOUNT_ID: "the-account",
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
  });
  expect(await count({ events: ["a", "b"] }, 60_000, NOW)).toBe(7);
  expect(asked[0]).toMatchObject({
    path: "/accounts/the-account/workers/observability/telemetry/query",
    token: "Bearer the-token",
    body: {
      timeframe: { from: NOW - 60_000, to: NOW },
      parameters: {
        filters: [
          { key: "$metadata.service", operation: "in", value: "site,api" },
          { key: "event", operation: "in", value: "a,b" },
        ],
      },
    },
  });
  const [first] = ALERTS;
  expect(await save(ALERTS)).toEqual([first && nameOf(first)]);
  expect(asked.slice(1).map(({ path }) => path?.split("/").at(-1))).toEqual(["queries", "queries"]);
  expect(() => logsOf([], {})).toThrow("Set CLOUDFLARE_ACCOUNT_ID");
});
