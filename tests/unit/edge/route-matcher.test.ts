import type { ServerBuild } from "@remix-run/cloudflare";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  isPlausibleParameter,
  publicFiles,
  publicPaths,
  routeMatcher,
} from "../../../app/edge/guard/route-matcher.server";

const Page = () => null;
const routeModule = z.custom<NonNullable<ServerBuild["routes"][string]>["module"]>(() => true);
const serverBuild = z.custom<ServerBuild>((value) => typeof value === "object");

const route = (id: string, where: object, module: object, parentId: string | undefined = "root") => [
  id,
  { id, parentId, ...where, module: routeModule.parse(module) },
];

const build = serverBuild.parse({
  routes: {
    ...Object.fromEntries([
      ["root", { id: "root", path: "", module: { default: Page } }],
      route("home", { index: true }, { default: Page }),
      route("pricing", { path: "pricing" }, { default: Page }),
      route("form", { path: "subscription/:id?" }, { default: Page, action: Page, handle: { hydrate: true } }),
      route("robots", { path: "robots.txt" }, { loader: Page }),
      route("health", { path: "health" }, { loader: Page }),
      route("within", { path: "more" }, { default: Page }, "pricing"),
      route("item", { path: "items/:item" }, { default: Page }),
      route("rest", { path: "*" }, { default: Page }),
    ]),
    gone: undefined,
  },
});

test("the pages that are the same for everyone have no parameter, no script, and a page", () => {
  expect(publicPaths(build)).toEqual(["/", "/pricing"]);
});

test("files are the routes with a dot in their path", () => {
  expect(publicFiles(build)).toEqual(["/robots.txt"]);
});

describe("a path", () => {
  const match = routeMatcher(build);
  const found = (path: string) => {
    const { id, params, pagePath, isData } = match(path) ?? {};
    return { id, params, pagePath, isData };
  };
  const page = (id: string, pagePath: string, params = {}) => ({ id, params, pagePath, isData: false });

  test("is matched as Remix does, in its spelling and in others, first and again [A10]", () => {
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

  test("with .data at its end is that of a page's data, and with .md that of a public page's Markdown [A3]", () => {
    for (let time = 0; time < 2; time += 1) {
      expect(found("/_root.data")).toEqual({ ...page("home", "/"), isData: true });
      expect(found("/pricing.data")).toEqual({ ...page("pricing", "/pricing"), isData: true });
      expect(found("/subscription/one.data")).toMatchObject({ params: { id: "one" }, isData: true });
      expect(found("/subscription/a.data.data")).toMatchObject({ pagePath: "/subscription/a.data" });
      expect(found("/subscription/_root.data")).toMatchObject({ pagePath: "/subscription/_root" });
      expect(found("/_rootless.data")).toMatchObject({ pagePath: "/_rootless" });
      expect(found("/index.md")).toEqual(page("home", "/"));
      expect(found("/pricing.md")).toEqual(page("pricing", "/pricing"));
      expect(found("/subscription.md")).toMatchObject({ id: "rest", pagePath: "/subscription.md" });
    }
  });

  test("says what its page takes", () => {
    expect(match("/subscription/one")).toMatchObject({
      pattern: "/subscription/:id?",
      hydrates: true,
      takesForms: true,
    });
    expect(match("/pricing")).toMatchObject({ pattern: "/pricing", hydrates: false, takesForms: false });
    expect(match("/pricing/more")).toMatchObject({ pattern: "/pricing/more" });
  });

  test.each([
    "//x",
    "/a%2fb",
    "/a%2Fb",
    "/a%5Cb",
    "/%00",
    "/%1f",
    "/%7F",
    "/%",
    "/%ff",
    "/%5c",
    `/${"a".repeat(2048)}`,
  ])("is none: %s [A10]", (path) => {
    expect(match(path)).toBeUndefined();
  });

  test("has at most 2,048 characters [A10]", () => {
    expect(match(`/${"a".repeat(2047)}`)).toBeDefined();
  });

  test("of a build without its routes is none", () => {
    expect(routeMatcher(serverBuild.parse({ routes: {} }))("/pricing")).toBeUndefined();
  });
});

test("a parameter has at most 100 characters, and no dot [D7]", () => {
  expect(isPlausibleParameter("a".repeat(100))).toBe(true);
  expect(isPlausibleParameter("a".repeat(101))).toBe(false);
  expect(isPlausibleParameter("a.css")).toBe(false);
});
