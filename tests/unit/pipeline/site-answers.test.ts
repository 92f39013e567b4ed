import type { AppLoadContext } from "@remix-run/cloudflare";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Log } from "../../../app/pipeline/log.server";
import { catchErrors } from "../../../app/pipeline/response/fallbacks.server";
import { requireTls } from "../../../app/pipeline/response/require-tls.server";
import { loggedPath } from "../../../app/shared/logged-path";

/* What the pipeline answers before any page is rendered. */

const contexts = z.custom<AppLoadContext>();
const passedOn = async () => new Response("a page");

describe("plain http", () => {
  const ask = (url: string, method = "GET", SITE_URL = "https://www.example") =>
    requireTls(
      new Request(url, { method }),
      contexts.parse({ url: new URL(url), configuration: { SITE_URL } }),
      passedOn,
    );

  test.each([
    ["GET", 301],
    ["HEAD", 301],
    ["POST", 303],
    ["PUT", 303],
  ])("a %s gives %i to the same URL over https, and is not cached [H14]", async (method, status) => {
    const answer = await ask("http://www.example/subscription?id=1", method);
    expect([answer.status, answer.headers.get("Location")]).toEqual([status, "https://www.example/subscription?id=1"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.has("Strict-Transport-Security")).toBe(false);
  });

  test("only a site with https redirects, and only from http", async () => {
    expect(await (await ask("https://www.example/")).text()).toBe("a page");
    expect(await (await ask("http://localhost:8787/", "GET", "http://localhost:8787")).text()).toBe("a page");
  });
});

describe("a response without a page", () => {
  const logged: unknown[][] = [];
  const nothing = () => {};
  const log: Log = {
    add: nothing,
    end: nothing,
    info: nothing,
    warn: nothing,
    error: (...given) => logged.push(given),
  };
  const context = { ...contexts.parse({ url: new URL("https://www.example/x"), requestId: "an-id", log }), env: {} };

  test("to an exception hides its message and shows the request ID [F6]", async () => {
    const answer = await catchErrors(new Request(context.url), context, async () => {
      throw new RangeError("of ada@example.com");
    });
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(text).toContain("<h1>Unexpected Application Error</h1><p>Request ID: an-id</p>");
    expect(text + JSON.stringify(logged)).not.toContain("ada@");
    expect(logged).toMatchObject([["unexpected", { error: "RangeError" }]]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("X-Frame-Options")).toBe("DENY");
    expect(await (await catchErrors(new Request(context.url), context, passedOn)).text()).toBe("a page");
  });
});

describe("the site's log", () => {
  const path = (pathname: string) => loggedPath(new URL(pathname, "https://www.example"));

  test("has at most 200 characters of an unknown path, and no segment with an email address [F6]", () => {
    expect(path(`/${"a".repeat(300)}`)).toBe(`/${"a".repeat(199)}`);
    expect(path("/x/ada@example.com/y?ada@example.com")).toBe("/x/[email]/y");
    expect(path("/ada%40example.com")).toBe("/[email]");
    expect(path(`/${"a".repeat(180)}/${"%C3%A9".repeat(64)}@example.com`)).toBe(`/${"a".repeat(180)}/[email]`);
  });
});
