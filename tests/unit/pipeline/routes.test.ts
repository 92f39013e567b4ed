import { expect, test } from "vitest";
import { headersOf, smallSite } from "./small-site";

/* Paths of the site, their other spellings, and all others. */

const ID = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
const LONGEST = "a".repeat(100);

test.each<[path: string, route: string, page: string]>([
  ["/", "/", "Home"],
  ["/pricing", "/pricing", "Pricing"],
  ["/subscription", "/subscription/:id?", "Form"],
  [`/subscription/${ID}`, "/subscription/:id?", "Form"],
  [`/subscription/${LONGEST}`, "/subscription/:id?", "Form"],
  ["/subscription/__proto__", "/subscription/:id?", "Form"],
  [`/subscription/${ID}.data`, "/subscription/:id?", "www.site.example/subscription"],
  ["/robots.txt", "/robots.txt", "User-agent"],
  ["/health", "/health", "ok"],
])("the path %s is the route %s, by which it is logged", async (path, route, page) => {
  const { ask, requests } = smallSite();
  const answer = await ask(path);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(page)]);
  expect(requests()).toEqual([expect.objectContaining({ route, status: 200 })]);
  expect(requests()[0]).not.toHaveProperty("path");
});

test.each<[path: string, canonical: string]>([
  ["/pricing/", "/pricing"],
  ["/INDEX.MD/", "/index.md"],
  ["/Robots.TXT", "/robots.txt"],
  [`/Subscription/${ID.toUpperCase()}/`, `/subscription/${ID}`],
  ["/subscription/?id=A&return=B", "/subscription?id=A&return=B"],
])("the path %s is redirected to %s, which is found", async (path, canonical) => {
  const { ask } = smallSite();
  for (const method of ["GET", "HEAD"]) {
    const answer = await ask(path, { method });
    expect([answer.status, ...headersOf(answer, "Location", "Cache-Control")]).toEqual([308, canonical, "no-store"]);
  }
  expect((await ask(path, { method: "POST" })).status).toBe(404);
  if (!canonical.endsWith(".md")) expect((await ask(canonical)).status).toBe(200);
});

test.each([
  ...["/nothing", "/NOTHING/", "/%70ricing", "//pricing/", "//EVIL.test/", "//evil.test/pricing", "/pricing//"],
  ...["/subscription.MD", `/subscription/${LONGEST}a`, `/subscription/${ID}/${ID}`],
  `/${"a".repeat(300)} ${`/${"a".repeat(199)}`}`,
  "/x/ada@example.com/y?ada@example.com /x/[email]/y",
  "/ada%2540example.com /[email]",
  "/ada\uff20example.com /[email]",
  "/ada%25EF%25BC%25A0example.com /[email]",
  `/${"a".repeat(180)}/${"%C3%A9".repeat(64)}@example.com /${"a".repeat(180)}/[email]`,
])("a path that is not found is logged without an email address and at most 200 characters of it: %s", async (row) => {
  const [path = "", logged = path] = row.split(" ");
  const { ask, requests } = smallSite();
  const answer = await ask(path);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("Page not found")]);
  expect(requests()).toEqual([expect.objectContaining({ route: "unknown", status: 404, path: logged })]);
});
