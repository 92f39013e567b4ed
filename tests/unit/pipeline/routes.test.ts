import { expect, test } from "vitest";
import { formWith, smallSite } from "./small-site";

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

test.each([
  { path: "/pricing/", canonical: "/pricing" },
  { path: "/INDEX.MD/", canonical: "/index.md" },
  { path: "/Robots.TXT", canonical: "/robots.txt" },
  { path: `/Subscription/${ID.toUpperCase()}/`, canonical: `/subscription/${ID}` },
  { path: "/subscription/?id=A&return=B", canonical: "/subscription?id=A&return=B" },
])("$path is redirected to $canonical, uncached, also for HEAD, and takes no form", async ({ path, canonical }) => {
  const { ask } = smallSite();
  for (const method of ["GET", "HEAD"]) {
    const answer = await ask(path, { method });
    expect(answer).toRedirectTo(canonical, 308);
    expect(answer).toHaveHeader("Cache-Control", "no-store");
  }
  expect(await ask(path, { method: "POST" })).toHaveStatus(404);
});

test.each([
  ...["/nothing", "/NOTHING/", "/405", "/%", "/%70ricing", "//EVIL.test/", "//evil.test/pricing", "/%5cevil.test"],
  ...["/pricing//", "/pricing.data", "/subscription.MD", "/__manifest", `/subscription/${ID}/${ID}`],
  ...["x.css", "x%2ecss", "%00", "%5cevil", "a%2fb", "%", `${LONGEST_ID}a`].map((id) => `/subscription/${id}`),
])("%s has no page: it shows the not-found page, takes no form, and is logged", async (path) => {
  const { ask, requests } = smallSite();
  const answer = await ask(path);
  expect(answer).toHaveStatus(404);
  expect(await answer.text()).toContain("Page not found");
  expect(requests()).toEqual([expect.objectContaining({ route: "unknown", status: 404, path: expect.any(String) })]);
  expect(await ask(path, formWith()), "a form").toHaveStatus(404);
});

test.each([
  { path: "/x/ada@example.com/y?ada@example.com", logged: "/x/[email]/y" },
  { path: "/ada%2540example.com", logged: "/[email]" },
  { path: "/ada\uff20example.com", logged: "/[email]" },
  { path: "/ada%25EF%25BC%25A0example.com", logged: "/[email]" },
  { path: `/${"a".repeat(180)}/${"%C3%A9".repeat(64)}@example.com`, logged: `/${"a".repeat(180)}/[email]` },
  { path: `/${"a".repeat(300)}`, logged: `/${"a".repeat(199)}` },
])("$path is logged without an email address, and with at most 200 characters", async ({ path, logged }) => {
  const { ask, requests } = smallSite();
  await ask(path);
  expect(requests()[0]).toMatchObject({ path: logged });
});
