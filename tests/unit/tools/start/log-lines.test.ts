import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { shownOf } from "../../../../tools/start/log-lines";

/** The stack of an error that a bundle throws on line 2 of its source, as V8 writes it. */
async function stackOfBundle(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  const [source, outfile] = [join(folder, "thrower.ts"), join(folder, "bundle.mjs")];
  await writeFile(source, 'export function thrower(): never {\n  throw new Error("NCBOOM");\n}\n');
  await build({ entryPoints: [source], outfile, bundle: true, format: "esm", minify: true, sourcemap: true });
  const { thrower } = await import(pathToFileURL(outfile).href);
  try {
    return thrower();
  } catch (error) {
    const lines = error instanceof Error ? (error.stack ?? "").split("\n") : [];
    return lines.slice(1, 2).map((line) => line.trim());
  }
}

test("an error is shown with its message, and with its frames in the source", async () => {
  const stack = await stackOfBundle();
  const line = JSON.stringify({ level: "error", event: "unexpected", error: "Error", message: "NCBOOM", stack });
  const [shown, frame = ""] = (shownOf(line) ?? "").split("\n");
  expect(shown).toBe('{"level":"error","event":"unexpected","error":"Error","message":"NCBOOM"}');
  expect(frame).toMatch(/^ {4}at .*thrower\.ts:2:9\)?$/);
});

test("a frame outside the bundles is shown as it is", () => {
  const stack = ["at async Promise.all (index 0)", "at run (file:///no/such/bundle.js:1:2)"];
  const line = JSON.stringify({ level: "error", event: "unexpected", error: "Error", stack });
  expect(shownOf(line)?.split("\n").slice(1)).toEqual(stack.map((frame) => `    ${frame}`));
});

test.each([
  { line: '{"level":"info","event":"request","method":"GET","route":"/","status":200}', shown: undefined },
  { line: '{"level":"info","event":"request","method":"GET","route":"/x","status":404}', shown: "GET /x 404" },
  { line: '{"level":"info","event":"message_sent","key":"a"}', shown: undefined },
  { line: '{"level":"warn","event":"price_changed"}', shown: '{"level":"warn","event":"price_changed"}' },
  { line: "a line of the runtime", shown: undefined },
])("the line $line is shown as $shown", ({ line, shown }) => {
  expect(shownOf(line)).toBe(shown);
});
