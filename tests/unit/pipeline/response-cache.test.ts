import { expect, test } from "vitest";
import { responseCache } from "../../../app/pipeline/cache/response-cache.server";
import type { ExecutionContext } from "../../../app/pipeline/context.server";

const execution: ExecutionContext = { waitUntil: () => {} };
const request = new Request("https://www.example/");

/** Makes `answers` in turn, and counts. */
function maker(...answers: (() => Response)[]) {
  let made = 0;
  return {
    count: () => made,
    async make(): Promise<Response> {
      const next = answers[Math.min(made, answers.length - 1)];
      made += 1;
      if (!next) throw new Error("There is nothing to make");
      return next();
    },
  };
}

const page = (text: string) => () => new Response(text, { headers: { "Content-Type": "text/html" } });

function fail(): never {
  throw new Error("The page cannot be made");
}

test("a response is made once for each key, even for concurrent requests", async () => {
  const pages = responseCache();
  const { make, count } = maker(page("a page"));
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => pages.respond(request, "2025 /", make, execution)),
  );
  expect(await Promise.all(answers.map((answer) => answer?.text()))).toEqual(Array(100).fill("a page"));
  expect(count()).toBe(1);
});

test("each key has its own response with its own ETag", async () => {
  const pages = responseCache();
  const { make } = maker(page("© 2025"), page("© 2026"));
  const before = await pages.respond(request, "2025 /", make, execution);
  const after = await pages.respond(request, "2026 /", make, execution);
  expect([await before?.text(), await after?.text()]).toEqual(["© 2025", "© 2026"]);
  expect(before?.headers.get("ETag")).not.toBe(after?.headers.get("ETag"));
});

test.each([
  ["throws", fail],
  ["gives an error", () => new Response("broken", { status: 500 })],
])("after a make that %s the next request tries again", async (_, first) => {
  const pages = responseCache();
  const { make, count } = maker(first, page("a page"));
  expect(await pages.respond(request, "/", make, execution)).toBeUndefined();
  expect(await (await pages.respond(request, "/", make, execution))?.text()).toBe("a page");
  expect(await (await pages.respond(request, "/", make, execution))?.text()).toBe("a page");
  expect(count()).toBe(2);
});

test("headers set on one response do not appear on the next", async () => {
  const pages = responseCache();
  const { make } = maker(page("a page"));
  const first = await pages.respond(request, "/", make, execution);
  first?.headers.set("X-Request-Id", "first");
  first?.headers.delete("ETag");
  const second = await pages.respond(request, "/", make, execution);
  expect(second?.headers.get("X-Request-Id")).toBeNull();
  expect(second?.headers.get("ETag")).toMatch(/^"[0-9a-f]+"$/);
});

test("rendering continues when the client that caused it disconnects", async () => {
  const work: Promise<unknown>[] = [];
  const pages = responseCache();
  await pages.respond(request, "/", maker(page("a page")).make, { waitUntil: (promise) => work.push(promise) });
  expect(work).toHaveLength(1);
  await expect(work[0]).resolves.not.toThrow();
});
