import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { loadErrorIn, shownOf } from "../../../../tools/start/log-lines";

/* What npm start shows of the Workers' logs. */

/* The bundle of a source that throws on line 2, and the place as V8 writes it. Vitest would map a thrown error's. */
const folder = await mkdtemp(join(tmpdir(), "bundle-"));
const [source, outfile] = [join(folder, "thrower.ts"), join(folder, "bundle.mjs")];
await writeFile(source, 'export function thrower(): never {\n  throw new Error("NCBOOM");\n}\n');
await build({ entryPoints: [source], outfile, bundle: true, format: "esm", minify: true, sourcemap: true });
const map = JSON.parse(await readFile(`${outfile}.map`, "utf8"));
// As of a package whose own map has no sources.
await writeFile(`${outfile}.map`, JSON.stringify({ ...map, sourcesContent: [null] }));
const url = pathToFileURL(outfile).href;
const place = `1:${(await readFile(outfile, "utf8")).indexOf("new Error") + 1}`;

const SOURCE_FRAME = /^ {4}at thrower \(.*thrower\.ts:2:9\)$/;

test("an error is shown with its message and its frame in the source, and other frames as they are", () => {
  const others = ["at async Promise.all (index 0)", "at run (file:///no/such.js:1:2)", "at run (file://host/b.js:1:2)"];
  const shared = { level: "error", event: "unexpected", error: "Error", message: "NCBOOM" };
  const line = JSON.stringify({ ...shared, stack: [`at thrower (${url}:${place})`, ...others] });
  expect(shownOf(line)?.split("\n")).toEqual([
    JSON.stringify(shared),
    expect.stringMatching(SOURCE_FRAME),
    ...others.map((other) => `    ${other}`),
  ]);
});

test("an error while a module loads is shown with the Worker's name, and with its frames in the source", () => {
  const said = [
    "service core:user:citewell-site-local: Uncaught Error: NCBOOM",
    "a second line",
    `  at bundle.mjs:${place} in thrower`,
    `  at bundle.mjs:${place}`,
  ];
  expect(loadErrorIn(said, (worker) => (worker === "citewell-site-local" ? url : "")).split("\n")).toEqual([
    "citewell-site-local: Uncaught Error: NCBOOM",
    "a second line",
    expect.stringMatching(SOURCE_FRAME),
    expect.stringMatching(/^ {4}at .*thrower\.ts:2:9$/),
  ]);
});

test("npm run dev shows a developer's own lines, with frames in the source", () => {
  expect(shownOf(`    at thrower (${url}:${place})`, true)).toMatch(SOURCE_FRAME);
  expect(shownOf("a line of mine", true)).toBe("a line of mine");
});

test.each([
  { line: '{"level":"info","event":"request","method":"GET","route":"/","status":200}', shown: undefined },
  { line: '{"event":"request","method":"GET","route":"/:x","path":"/y","status":400}', shown: "GET /y 400" },
  { line: '{"level":"info","event":"message_sent","key":"a"}', shown: undefined },
  { line: '{"level":"warn","event":"terms_changed"}', shown: '{"level":"warn","event":"terms_changed"}' },
  { line: "a line of the runtime", shown: undefined },
  { line: "✘ [ERROR] of the runtime", shown: "✘ [ERROR] of the runtime" },
])("npm start shows the line $line as $shown", ({ line, shown }) => {
  expect(shownOf(line)).toBe(shown);
});
