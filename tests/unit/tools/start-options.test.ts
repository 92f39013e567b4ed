import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { sentenceOf } from "../../../tools/failures";
import { hostOf } from "../../../tools/start/ports";
import { shownOf, withPlaces } from "../../../tools/start/worker-lines";

const lan = { address: "192.168.0.7", netmask: "", mac: "", cidr: null, internal: false, family: "IPv4" } as const;
const loopback = { ...lan, address: "127.0.0.1", internal: true };

test.each([
  [undefined, undefined],
  ["", undefined],
  ["localhost", undefined],
  ["127.0.0.1", undefined],
  ["::1", undefined],
  ["0.0.0.0", { ip: "0.0.0.0", name: "192.168.0.7" }],
  ["::", { ip: "::", name: "192.168.0.7" }],
  ["my-machine.local", { ip: "0.0.0.0", name: "my-machine.local" }],
  ["10.0.0.3", { ip: "0.0.0.0", name: "10.0.0.3" }],
  ["fd00::3", { ip: "::", name: "[fd00::3]" }],
])("HOST=%s gives %j", (HOST, host) => {
  expect(hostOf({ HOST }, { lo: [loopback], eth0: [lan] })).toEqual(host);
});

test("HOST=0.0.0.0 without a network means localhost, and an invalid host is named", () => {
  expect(hostOf({ HOST: "0.0.0.0" }, { lo: [loopback] })).toEqual({ ip: "0.0.0.0", name: "localhost" });
  expect(() => hostOf({ HOST: "http://x" })).toThrow("HOST is http://x: set it to 0.0.0.0");
});

const line = (fields: object) => JSON.stringify({ level: "info", event: "request", method: "GET", ...fields });

test.each([
  [line({ status: 404, route: "/*", path: "/nothing" }), "GET /nothing 404"],
  [line({ status: 422, method: "POST", route: "/subscription" }), "POST /subscription 422"],
  [line({ status: 503, route: "/" }), "GET / 503"],
  [line({ status: 200, route: "/" }), undefined],
  [line({ status: 303, method: "POST", route: "/subscription" }), undefined],
  [line({ event: "page_rendered", status: 200 }), undefined],
  ["[wrangler:info] GET / 200 OK (12ms)", undefined],
  ["{", undefined],
  ["✘ [ERROR] Build failed", "✘ [ERROR] Build failed"],
])("npm start shows the log line %s as %s", (written, shown) => {
  expect(shownOf(written)).toBe(shown);
});

test("npm start shows errors and warnings unchanged", () => {
  for (const level of ["error", "warn"]) {
    const written = line({ level, event: "message_failed" });
    expect(shownOf(written)).toBe(written);
  }
});

test.each([
  ["ENOSPC: no space left on device, write", "The disk is full: free some space, then run this again."],
  ["SqliteError: database or disk is full", "The disk is full: free some space, then run this again."],
  ["EROFS: read-only file system, mkdir '/build'", "cannot be written: run this in a clone of your own"],
  ["EACCES: permission denied, open '/build/index.js'", "cannot be written: run this in a clone of your own"],
  ["attempt to write a readonly database: SQLITE_READONLY", "This folder cannot be written"],
])("the disk error %j becomes one sentence", (message, sentence) => {
  expect(sentenceOf(new Error(message))).toContain(sentence);
  expect(sentenceOf(new Error(message))).not.toContain("\n");
});

test("an error of npm run dev is shown with its message and its place in the source", () => {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "site.js");
  const source = fileURLToPath(new URL("../../../app/root.tsx", import.meta.url));
  // The first character of the bundle is from line 3, column 5.
  writeFileSync(
    `${file}.map`,
    JSON.stringify({ version: 3, sources: [relative(folder, source)], names: [], mappings: "AAEI" }),
  );
  const stack = [`at Root (file://${file}:1:1)`, "at node_modules/react/index.js:1:1"];
  const failed = JSON.stringify({ event: "unexpected", error: "TypeError", message: "x is undefined", stack });
  expect(withPlaces(failed)).toBe("unexpected: TypeError: x is undefined\n    at Root (app/root.tsx:3:5)");
  expect(withPlaces('{"event":"request"}')).toBe('{"event":"request"}');
});
