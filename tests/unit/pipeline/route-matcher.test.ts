import { beforeEach, describe, expect, test } from "vitest";
import {
  isPlausibleParameter,
  publicFiles,
  publicPaths,
  type RouteMatcher,
  routeMatcher,
} from "../../../app/pipeline/route-matcher.server";
import { smallBuild as build, Page, route, serverBuild } from "../../support/site-in-process/small-build";

test("a page is public if it has no parameter and no script; a file has a dot in its path", () => {
  expect(publicPaths(build)).toEqual(["/", "/pricing"]);
  expect(publicFiles(build)).toEqual(["/robots.txt"]);
});

describe("a path", () => {
  let match: RouteMatcher;
  beforeEach(() => {
    match = routeMatcher(build);
  });

  const found = (path: string) => {
    const { id, params, pagePath, isData } = match(path) ?? {};
    return { id, params, pagePath, isData };
  };
  const page = (id: string, pagePath: string, params = {}) => ({ id, params, pagePath, isData: false });

  test("is matched as Remix matches it, in any spelling, cached or not [A10]", () => {
    for (let time = 0; time < 2; time += 1) {
      expect(found("/")).toEqual(page("home", "/"));
      expect(found("/pricing")).toEqual(page("pricing", "/pricing"));
      expect(found("/Pricing")).toEqual(page("pricing", "/Pricing"));
      expect(found("/pricing/more")).toEqual(page("within", "/pricing/more"));
      expect(found("/subscription")).toEqual(page("form", "/subscription"));
      expect(found("/subscription/one")).toEqual(page("form", "/subscription/one", { id: "one" }));
      expect(found("/subscription/two")).toEqual(page("form", "/subscription/two", { id: "two" }));
      expect(found("/%73ubscription/two")).toEqual(page("form", "/%73ubscription/two", { id: "two" }));
      expect(found("/items")).toMatchObject({ id: "rest" });
      expect(found("/items/1")).toEqual(page("item", "/items/1", { item: "1" }));
      expect(found("/nothing")).toMatchObject({ id: "rest" });
      expect(found("/nothing/more")).toMatchObject({ id: "rest" });
      expect(found("/robots.txt")).toEqual(page("robots", "/robots.txt"));
    }
  });

  test("ending in .data matches page data, ending in .md a public page's Markdown [A3]", () => {
    for (let time = 0; time < 2; time += 1) {
      expect(found("/_root.data")).toEqual({ ...page("home", "/"), isData: true });
      expect(found("/pricing.data")).toEqual({ ...page("pricing", "/pricing"), isData: true });
      expect(found("/subscription/one.data")).toMatchObject({ params: { id: "one" }, isData: true });
      expect(found("/subscription/a.data.data")).toMatchObject({ pagePath: "/subscription/a.data" });
      expect(found("/subscription/_root.data")).toMatchObject({ pagePath: "/subscription/_root" });
      expect(found("/items.data/1.data")).toMatchObject({ pagePath: "/items.data/1" });
      expect(found("/_rootless.data")).toMatchObject({ pagePath: "/_rootless" });
      expect(found("/index.md")).toEqual(page("home", "/"));
      expect(found("/pricing.md")).toEqual(page("pricing", "/pricing"));
      expect(found("/subscription.md")).toMatchObject({ id: "rest", pagePath: "/subscription.md" });
    }
  });

  test("says which methods and forms its page accepts", () => {
    expect(match("/subscription/one")).toMatchObject({
      pattern: "/subscription/:id?",
      hydrates: true,
      takesForms: true,
    });
    expect(match("/pricing")).toMatchObject({ pattern: "/pricing", hydrates: false, takesForms: false });
    expect(match("/pricing/more")).toMatchObject({ pattern: "/pricing/more" });
  });

  test.each(["//x", "/a%2fb", "/a%5Cb", "/%00", "/%1f", "/%7F", "/%", "/%ff", "/a\\b", `/${"a".repeat(2048)}`])(
    "is none: %s [A10]",
    (path) => {
      expect(match(path)).toBeUndefined();
    },
  );

  test("has at most 2,048 characters [A10]", () => {
    expect(match(`/${"a".repeat(2047)}`)).toBeDefined();
  });

  test("has a parameter only where its route declares one, and an unmatched path stores none", () => {
    for (let time = 0; time < 2; time += 1) {
      expect(match("/nothing")?.params).toEqual({});
      expect(match("/nothing/more")?.params).toEqual({});
      expect(match("/subscription")?.params.id).toBeUndefined();
      expect(match("/a/b/c")?.params).toEqual({ "*": "a/b/c" });
    }
  });

  test.each(["/", "/pricing", "/subscription", "/robots.txt", "/pricing.md", "/index.md"])(
    "that a page has once is found again without a comparison: %s",
    (path) => {
      expect(match(path)).toBe(match(path));
    },
  );

  test.each(["/subscription/one", "/subscription.data", "/items/one", "/nothing", "/Pricing", "/nothing.md"])(
    "that visitors make up is not kept: %s",
    (path) => {
      expect(match(path)).not.toBe(match(path));
      expect(match(path)).toEqual(match(path));
    },
  );

  test("matches nothing in a build without routes", () => {
    expect(routeMatcher(serverBuild.parse({ routes: {} }))("/pricing")).toBeUndefined();
    expect(
      routeMatcher(serverBuild.parse({ routes: Object.fromEntries([route("home", { index: true }, {})]) }))("/"),
    ).toBeUndefined();
  });
});

describe("nested routes", () => {
  const nested = serverBuild.parse({
    routes: Object.fromEntries([
      ["root", { id: "root", path: "", module: { default: Page } }],
      route("exact", { path: "exact", caseSensitive: true }, { default: Page }),
      route("outer", { path: "outer" }, { default: Page, handle: { hydrate: true } }),
      route("inner", { path: "inner/form" }, { default: Page, action: Page }, "outer"),
      route("outer-home", { index: true }, { default: Page }, "outer"),
      route("news", { path: "news" }, {}),
      route("news-today", { path: "today" }, { default: Page }, "news"),
      route("guide", { path: "guides/one" }, { default: Page }),
      route("files", { path: "files/*" }, { default: Page }),
      route("posted", { path: "posted" }, { default: Page, action: Page }),
      route("posted-inner", { path: "read/only" }, { default: Page }, "posted"),
    ]),
  });
  let match: RouteMatcher;
  beforeEach(() => {
    match = routeMatcher(nested);
  });

  test("the innermost route takes the form, and any of them can require the page's script", () => {
    expect(match("/outer/inner/form")).toMatchObject({
      id: "inner",
      pattern: "/outer/inner/form",
      takesForms: true,
      hydrates: true,
    });
    expect(match("/posted/read/only")).toMatchObject({ id: "posted-inner", takesForms: false, hydrates: false });
    expect(match("/posted")).toMatchObject({ id: "posted", takesForms: true });
    expect(match("/outer")).toMatchObject({ id: "outer-home", pattern: "/outer", takesForms: false, hydrates: true });
  });

  test("paths with the same first segment are not confused", () => {
    const idsOf = (paths: string[]) => paths.map((path) => match(path)?.id);
    expect(idsOf(["/news/today", "/news/other", "/news/today"])).toEqual(["news-today", undefined, "news-today"]);
    expect(idsOf(["/guides/one", "/guides/other", "/guides/one"])).toEqual(["guide", undefined, "guide"]);
    expect(match("/files/a")?.params).toEqual({ "*": "a" });
    expect(match("/files/b")?.params).toEqual({ "*": "b" });
  });

  test("a case-sensitive route has one spelling; a path without a route does not match", () => {
    expect(match("/exact")).toMatchObject({ id: "exact" });
    expect(match("/outer/other")).toBeUndefined();
    for (const path of ["/Exact", "/nothing", "/nothing", "/"]) expect(match(path)?.id, path).not.toBe("exact");
    expect(match("/nothing")).toBeUndefined();
  });
});

test("plain paths with the same first segment are matched once, however many visitors request them [F11]", () => {
  let comparisons = 0;
  const module = { default: Page, action: Page };
  const counted = Object.fromEntries([
    ["root", { id: "root", path: "", module }],
    route("form", { path: "subscription/:id?" }, module),
    route("rest", { path: "*" }, module),
  ]);
  const match = routeMatcher(
    serverBuild.parse({
      routes: new Proxy(counted, {
        get(routes, id, receiver) {
          if (id === "rest" || id === "form") comparisons += 1;
          return Reflect.get(routes, id, receiver);
        },
      }),
    }),
  );
  const comparisonsFor = (paths: string[]) => {
    comparisons = 0;
    for (const path of paths) match(path);
    return comparisons;
  };
  const many = Array.from({ length: 50 }, (_, at) => String(at));
  match("/subscription/first");
  match("/first");
  match("/first/more");
  expect(comparisonsFor(many.map((at) => `/subscription/${at}`))).toBe(0);
  expect(comparisonsFor(many.map((at) => `/nothing-${at}`))).toBe(0);
  expect(comparisonsFor(many.map((at) => `/nothing-${at}/more`))).toBe(0);
  // Letters that have other spellings, and other depths, are Remix's to decide.
  expect(comparisonsFor(["/Subscription/1", "/%73ubscription", "/a/b/c"])).toBe(3);
});

test("a parameter has at most 100 characters and no dot [D7]", () => {
  expect(isPlausibleParameter("a".repeat(100))).toBe(true);
  expect(isPlausibleParameter("a".repeat(101))).toBe(false);
  expect(isPlausibleParameter("a.css")).toBe(false);
});
