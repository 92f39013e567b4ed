import { describe, expect, test } from "vitest";
import { smallSite } from "./small-site";

/* Paths of the site, their other spellings, and all others. */

const ID = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
const LONGEST_ID = "a".repeat(100);
const FORM_ROUTE = "/subscription/:id?";

test.each([
  { path: "/", route: "/", shows: "Home" },
  { path: "/pricing", route: "/pricing", shows: "Pricing" },
  { path: "/subscription", route: FORM_ROUTE, shows: "Form" },
  { path: `/subscription/${ID}`, route: FORM_ROUTE, shows: "Form" },
  { path: `/subscription/${LONGEST_ID}`, route: FORM_ROUTE, shows: "Form" },
  { path: "/subscription/__proto__", route: FORM_ROUTE, shows: "Form" },
  { path: `/subscription/${ID}.data`, route: FORM_ROUTE, shows: "www.site.example/subscription" },
  { path: "/robots.txt", route: "/robots.txt", shows: "User-agent" },
  { path: "/health", route: "/health", shows: "ok" },
])("the path $path is a page of the route $route, and is logged by the route alone", async ({ path, route, shows }) => {
  const { ask, requests } = smallSite();
  const answer = await ask(path);
  expect(answer).toHaveStatus(200);
  expect(await answer.text()).toContain(shows);
  expect(requests()).toEqual([expect.objectContaining({ route, status: 200 })]);
  expect(requests()[0]).not.toHaveProperty("path");
});

describe.each([
  { path: "/pricing/", canonical: "/pricing" },
  { path: "/INDEX.MD/", canonical: "/index.md" },
  { path: "/Robots.TXT", canonical: "/robots.txt" },
  { path: `/Subscription/${ID.toUpperCase()}/`, canonical: `/subscription/${ID}` },
  { path: "/subscription/?id=A&return=B", canonical: "/subscription?id=A&return=B" },
])("the path $path", ({ path, canonical }) => {
  test.each(["GET", "HEAD"])(`is redirected to ${canonical}, and not cached: %s`, async (method) => {
    const answer = await smallSite().ask(path, { method });
    expect(answer).toRedirectTo(canonical, 308);
    expect(answer).toHaveHeader("Cache-Control", "no-store");
  });

  test("takes no form", async () => {
    expect(await smallSite().ask(path, { method: "POST" })).toHaveStatus(404);
  });
});

const emailIn = (path: string, logged: string) => ({ path, logged });

describe("a path without a page", () => {
  test.each([
    "/nothing",
    "/NOTHING/",
    "/%70ricing",
    "//pricing/",
    "//EVIL.test/",
    "//evil.test/pricing",
    "/pricing//",
    "/subscription.MD",
    `/subscription/${LONGEST_ID}a`,
    `/subscription/${ID}/${ID}`,
  ])("is answered with the not-found page, and is logged: %s", async (path) => {
    const { ask, requests } = smallSite();
    const answer = await ask(path);
    expect(answer).toHaveStatus(404);
    expect(await answer.text()).toContain("Page not found");
    expect(requests()).toEqual([expect.objectContaining({ route: "unknown", status: 404, path })]);
  });

  test.each([
    emailIn("/x/ada@example.com/y?ada@example.com", "/x/[email]/y"),
    emailIn("/ada%2540example.com", "/[email]"),
    emailIn("/ada\uff20example.com", "/[email]"),
    emailIn("/ada%25EF%25BC%25A0example.com", "/[email]"),
    emailIn(`/${"a".repeat(180)}/${"%C3%A9".repeat(64)}@example.com`, `/${"a".repeat(180)}/[email]`),
  ])("is logged without an email address: $path", async ({ path, logged }) => {
    const { ask, requests } = smallSite();
    expect(await ask(path)).toHaveStatus(404);
    expect(requests()[0]).toMatchObject({ path: logged });
  });

  test("is logged with at most 200 characters", async () => {
    const { ask, requests } = smallSite();
    expect(await ask(`/${"a".repeat(300)}`)).toHaveStatus(404);
    expect(requests()[0]).toMatchObject({ path: `/${"a".repeat(199)}` });
  });
});
