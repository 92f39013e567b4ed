import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { shownOf } from "../../../../tools/start/log-lines";

/**
 * The stack frame of an error that a bundle throws on line 2 of its source, as V8 writes it. Vitest would map a thrown error's.
 * @param hasContents false for a source map with null for the source, as of a package whose own map has no sources
 */
async function frameOfBundle(hasContents: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  const [source, outfile] = [join(folder, "thrower.ts"), join(folder, "bundle.mjs")];
  await writeFile(source, 'export function thrower(): never {\n  throw new Error("NCBOOM");\n}\n');
  const options = { bundle: true, format: "esm", minify: true, sourcemap: true, sourcesContent: hasContents } as const;
  await build({ entryPoints: [source], outfile, ...options });
  if (!hasContents) {
    const map = JSON.parse(await readFile(`${outfile}.map`, "utf8"));
    await writeFile(`${outfile}.map`, JSON.stringify({ ...map, sourcesContent: [null] }));
  }
  const column = (await readFile(outfile, "utf8")).indexOf("new Error") + 1;
  return `at thrower (${pathToFileURL(outfile)}:1:${column})`;
}

test.each([
  { map: "a source map", hasContents: true },
  { map: "a source map without the source's text", hasContents: false },
])("an error is shown with its message, and with its frame in the source by $map", async ({ hasContents }) => {
  const stack = [await frameOfBundle(hasContents)];
  const line = JSON.stringify({ level: "error", event: "unexpected", error: "Error", message: "NCBOOM", stack });
  const [shown, frame = ""] = (shownOf(line) ?? "").split("\n");
  expect(shown).toBe('{"level":"error","event":"unexpected","error":"Error","message":"NCBOOM"}');
  expect(frame).toMatch(/^ {4}at thrower \(.*thrower\.ts:2:9\)$/);
});

test("a frame outside the bundles is shown as it is", () => {
  const stack = [
    "at async Promise.all (index 0)",
    "at run (file:///no/such/bundle.js:1:2)",
    "at run (file://host/bundle.js:1:2)",
  ];
  const line = JSON.stringify({ level: "error", event: "unexpected", error: "Error", stack });
  expect(shownOf(line)?.split("\n").slice(1)).toEqual(stack.map((frame) => `    ${frame}`));
});

test.each([
  { line: '{"level":"info","event":"request","method":"GET","route":"/","status":200}', shown: undefined },
  { line: '{"level":"info","event":"request","method":"GET","route":"/x","status":400}', shown: "GET /x 400" },
  { line: '{"level":"info","event":"message_sent","key":"a"}', shown: undefined },
  { line: '{"level":"warn","event":"price_changed"}', shown: '{"level":"warn","event":"price_changed"}' },
  { line: "a line of the runtime", shown: undefined },
])("the line $line is shown as $shown", ({ line, shown }) => {
  expect(shownOf(line)).toBe(shown);
});
