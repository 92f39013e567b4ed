import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { openPage } from "../../support/visitors/page";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/*
 * The JSON-LD of each page beside schema.org's own vocabulary: the package schema-dts has it as types, generated from what
 * schema.org publishes. The compiler finds unknown types and properties, and values of the wrong kind.
 */

const paths = ["/", "/pricing", "/privacy", "/terms"];
let site: RunningWorker;
const pages: Record<string, string> = {};

beforeAll(async () => {
  site = await startSite();
  for (const path of paths) {
    const { document } = await openPage(siteVisitor(site), path);
    pages[path] = document.querySelector('script[type="application/ld+json"]')?.textContent ?? "";
  }
  return site.dispose;
});

const root = join(import.meta.dirname, "../../..");

/** What the compiler says against each of some texts as a graph of schema.org. */
function problemsOf(texts: string[]): string[][] {
  const files = new Map(
    texts.map((json, index) => [
      join(root, `tests/workers/pages/json-ld-${index}.ts`),
      `import type { Graph } from "schema-dts";\nexport const graph: Graph = ${json};\n`,
    ]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, version) : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  );
}

describe("structured data", () => {
  test("is valid in schema.org's vocabulary on every page [K4]", () => {
    const texts = paths.map((path) => pages[path] ?? "");
    for (const text of texts) expect(text.length).toBeGreaterThan(500);
    const wrong = [
      ['"billingDuration":1', '"billingTime":1'],
      ['"@type":"Offer"', '"@type":"Offering"'],
      ['"priceCurrency":"USD"', '"priceCurrency":{"@type":"Person"}'],
    ].map(([right = "", mistake = ""]) => {
      expect(texts[1]).toContain(right);
      return texts[1]?.replace(right, mistake) ?? "";
    });
    const [home, pricing, privacy, terms, ...mistakes] = problemsOf([...texts, ...wrong]);
    expect({ home, pricing, privacy, terms }).toEqual({ home: [], pricing: [], privacy: [], terms: [] });
    // The compiler would find a mistake.
    expect(mistakes).toHaveLength(3);
    for (const problems of mistakes) expect(problems).not.toEqual([]);
  }, 60_000);
});
