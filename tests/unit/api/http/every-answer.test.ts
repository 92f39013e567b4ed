import { expect, test } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";

/* Headers and log lines that every answer has. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const IDS: { rule: string; headers: Record<string, string>; id: string | RegExp }[] = [
  {
    rule: "the sender's, up to 64 characters",
    headers: { "x-request-id": "a".repeat(64), "cf-ray": "8f1b-SEA" },
    id: "a".repeat(64),
  },
  {
    rule: "Cloudflare's if the sender's is too long",
    headers: { "x-request-id": "a".repeat(65), "cf-ray": "8f1b-SEA" },
    id: "8f1b-SEA",
  },
  {
    rule: "Cloudflare's if the sender's is invalid",
    headers: { "x-request-id": "a b", "cf-ray": "8f1b-SEA" },
    id: "8f1b-SEA",
  },
  { rule: "a new UUID if Cloudflare's is invalid", headers: { "cf-ray": "@8f1b" }, id: UUID },
  { rule: "a new UUID if there is none", headers: {}, id: UUID },
];

test.each(IDS)("the request ID is $rule", async ({ headers, id }) => {
  const { ask } = apiInProcess();
  expect(await ask("/", { headers })).toHaveHeader("X-Request-Id", id);
});

test("the log line has the answer's request ID", async () => {
  const { ask, logged } = apiInProcess();
  const id = (await ask("/")).headers.get("x-request-id");
  expect(logged).toEqual([expect.objectContaining({ event: "request", request_id: id })]);
});

const PATHS = ["/health", "/operator/export", "/nowhere", "/subscription"].map((path) => ({ path }));

test.each(PATHS)("the answer to $path is not cached", async ({ path }) => {
  const { ask } = apiInProcess();
  expect(await ask(path)).toHaveHeader("Cache-Control", "no-store");
});

test.each(PATHS)("the answer to $path cannot be rendered, framed or sniffed by a browser", async ({ path }) => {
  expect(await apiInProcess().ask(path)).toHaveHeaders({
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  });
});

test.each(PATHS)("the answer to $path does not open it to other origins, and names no software", async ({ path }) => {
  const answer = await apiInProcess().ask(path);
  for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"]) expect(answer).not.toHaveHeader(name);
});

test("over https a browser is told to use nothing else for two years", async () => {
  const answer = await apiInProcess().ask("https://localhost/health");
  expect(answer).toHaveHeader("Strict-Transport-Security", "max-age=63072000; includeSubDomains");
});

test("over http, locally, a browser is not told to use https", async () => {
  expect(await apiInProcess().ask("http://localhost/health")).not.toHaveHeader("Strict-Transport-Security");
});

test.each([
  { method: "GET", path: "/health", line: { route: "/health", status: 200 } },
  {
    method: "GET",
    path: "/subscription/status/ada@example.com",
    line: { route: "/subscription/status/:token", status: 404 },
  },
  { method: "POST", path: "/links/not-me/ada@example.com", line: { route: "/links/not-me/:token", status: 404 } },
  { method: "GET", path: "/ada@example.com", line: { route: "unknown", status: 404, path: "/[email]" } },
  { method: "GET", path: `/link/${"t".repeat(40)}`, line: { route: "unknown", status: 404, path: "/link/…" } },
])("$method $path is logged by its route, without an address or a token", async ({ method, path, line }) => {
  const { ask, logged } = apiInProcess();
  await ask(path, { method });
  const common = { on: "info", level: "info", event: "request", method, request_id: expect.any(String) };
  expect(logged.at(-1)).toEqual({ ...common, ...line });
});
