import { expect, test } from "vitest";
import * as z from "zod/mini";
import { isLoopback, serviceUrl, settingProblems } from "../../../app/shared/settings/settings";

test.each([
  { url: "http://localhost:8788", isService: true, isLocal: true },
  { url: "http://127.1.2.3:80/path", isService: true, isLocal: true },
  { url: "https://[::1]:8788", isService: true, isLocal: true },
  { url: "http://site.localhost", isService: true, isLocal: true },
  { url: "https://api.example.com/v1", isService: true, isLocal: false },
  { url: "http://name@localhost", isService: false, isLocal: true },
  { url: "https://:password@localhost", isService: false, isLocal: true },
  { url: "ftp://localhost", isService: false, isLocal: true },
  { url: "http://localhost.example.com", isService: false, isLocal: false },
  { url: "http://127.0.0.1.example.com", isService: false, isLocal: false },
  { url: "http://notlocalhost", isService: false, isLocal: false },
  { url: "nonsense", isService: false, isLocal: false },
])("the URL $url is taken for a service: $isService, and is this machine's: $isLocal", (row) => {
  expect(serviceUrl.safeParse(row.url).success, "taken for a service").toBe(row.isService);
  expect(isLoopback(row.url), "this machine's").toBe(row.isLocal);
});

test("the first problem of each setting is reported, without its value", () => {
  const token = z.string().check(z.minLength(32, "is too short"), z.regex(/^a/, "must begin with a"));
  const { error } = z.object({ API_URL: serviceUrl, TOKEN: token }).safeParse({ TOKEN: "secret-value" });
  expect(error && settingProblems(error)).toEqual([
    { name: "API_URL", problem: "is missing" },
    { name: "TOKEN", problem: "is too short" },
  ]);
});
