import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { isLoopback, isLoopbackHost, problemsOf, serviceUrl } from "../../../app/shared/settings";

describe("the rules for settings", () => {
  test.each([
    "http://localhost:8788",
    "http://127.0.0.1",
    "http://127.1.2.3:80/path",
    "https://[::1]:8788",
    "https://api.example.com/v1",
  ])("accept the service URL %s", (url) => {
    expect(serviceUrl.safeParse(url).success).toBe(true);
  });

  test.each([
    "http://api.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "https://name:password@api.example.com",
    "http://name@localhost",
    "https://:password@api.example.com",
    "https://name@api.example.com",
    "javascript:alert(1)",
    "ftp://localhost",
    "localhost:8788",
    "nonsense",
    "",
  ])("refuse the service URL %j [C10]", (url) => {
    expect(serviceUrl.safeParse(url).success).toBe(false);
  });

  test("recognize this machine by its names and by all of 127.0.0.0/8", () => {
    expect(["http://localhost", "http://127.0.0.1", "http://127.255.0.9", "http://[::1]"].every(isLoopback)).toBe(true);
    expect(["http://128.0.0.1", "http://localhost.evil.test", "http://[::2]", "nonsense"].some(isLoopback)).toBe(false);
  });

  test("recognize a loopback host only by its full name", () => {
    expect(["localhost", "site.localhost", "[::1]", "127.0.0.1"].every(isLoopbackHost)).toBe(true);
    expect(["notlocalhost", "localhost.x", "1127.0.0.1", "127.0.0.1.x", "127.0.0"].some(isLoopbackHost)).toBe(false);
  });

  test("report the first problem of a setting that has several", () => {
    const twice = z.string().check(z.minLength(9, "is too short"), z.regex(/^a/, "must begin with a"));
    const { error } = z.object({ TOKEN: twice }).safeParse({ TOKEN: "b" });
    expect(error && problemsOf(error)).toEqual([{ name: "TOKEN", problem: "is too short" }]);
  });

  test("report each invalid setting once, with the reason and without its value [F4]", () => {
    const schema = z.object({ API_URL: serviceUrl, TOKEN: z.string().check(z.minLength(32, "is too short")) });
    const parsed = schema.safeParse({ TOKEN: "secret-value" });

    expect(parsed.error && problemsOf(parsed.error)).toEqual([
      { name: "API_URL", problem: "is missing" },
      { name: "TOKEN", problem: "is too short" },
    ]);
  });
});
