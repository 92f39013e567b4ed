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

test("an answer is made once for a key, also for those who ask meanwhile", async () => {
  const pages = responseCache();
  const { make, count } = maker(page("a page"));
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => pages.respond(request, "2025 /", make, execution)),
  );
  expect(await Promise.all(answers.map((answer) => answer?.text()))).toEqual(Array(100).fill("a page"));
  expect(count()).toBe(1);
});

test("another key is another answer, with an ETag of its own", async () => {
  const pages = responseCache();
  const { make } = maker(page("© 2025"), page("© 2026"));
  const before = await pages.respond(request, "2025 /", make, execution);
  const after = await pages.respond(request, "2026 /", make, execution);
  expect([await before?.text(), await after?.text()]).toEqual(["© 2025", "© 2026"]);
  expect(before?.headers.get("ETag")).not.toBe(after?.headers.get("ETag"));
});

test.each([
  ["throws", fail],
  ["answers with an error", () => new Response("broken", { status: 500 })],
])("a make that %s is tried again next time", async (_, first) => {
  const pages = responseCache();
  const { make, count } = maker(first, page("a page"));
  expect(await pages.respond(request, "/", make, execution)).toBeUndefined();
  expect(await (await pages.respond(request, "/", make, execution))?.text()).toBe("a page");
  expect(await (await pages.respond(request, "/", make, execution))?.text()).toBe("a page");
  expect(count()).toBe(2);
});

test("headers that are set on one answer are not on the next", async () => {
  const pages = responseCache();
  const { make } = maker(page("a page"));
  const first = await pages.respond(request, "/", make, execution);
  first?.headers.set("X-Request-Id", "first");
  first?.headers.delete("ETag");
  const second = await pages.respond(request, "/", make, execution);
  expect(second?.headers.get("X-Request-Id")).toBeNull();
  expect(second?.headers.get("ETag")).toMatch(/^"[0-9a-f]+"$/);
});

test("the work goes on when the one who caused it leaves", async () => {
  const work: Promise<unknown>[] = [];
  const pages = responseCache();
  await pages.respond(request, "/", maker(page("a page")).make, { waitUntil: (promise) => work.push(promise) });
  expect(work).toHaveLength(1);
  await expect(work[0]).resolves.not.toThrow();
});
