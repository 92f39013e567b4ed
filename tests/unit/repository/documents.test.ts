import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { settings as siteSettings } from "../../../app/pipeline/settings/configuration.server";
import { settings as apiSettings } from "../../../functions/subscription-api/config";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const text = (path: string) => readFileSync(join(root, path), "utf8");

/** Files below a folder, as paths from the root. */
function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))
    .sort();
}

const documents = ["README.md", ...filesIn("docs", /\.md$/)];

/** The headings above a line, from the outermost to the innermost. */
type Line = { text: string; headings: string[] };

/** A document's lines outside code blocks. */
function linesOf(path: string): Line[] {
  const headings: string[] = [];
  const prose = text(path).replace(/^```.*?^```$/gms, "");
  return prose.split("\n").map((line) => {
    const [, hashes, heading] = /^(#+) (.*)$/.exec(line) ?? [];
    if (hashes !== undefined && heading !== undefined) headings.splice(hashes.length - 1, Infinity, heading);
    return { text: line, headings: [...headings] };
  });
}

/** The first cells of the rows of a document's tables. */
function firstCells(path: string): { cell: string; headings: string[] }[] {
  return linesOf(path).flatMap(({ text: line, headings }) => {
    const cell = /^\| ([^|]+) \|/.exec(line)?.[1];
    return cell === undefined ? [] : [{ cell, headings }];
  });
}

/** What stands in backticks in the first column of the tables under a heading. */
function codesUnder(path: string, heading: string): string[] {
  return firstCells(path)
    .filter(({ headings }) => headings.includes(heading))
    .flatMap(({ cell }) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code))
    .sort();
}

const ROW = /^[A-Z]\d+$/;

function rowsOf(path: string): string[] {
  return firstCells(path)
    .map(({ cell }) => cell)
    .filter((cell) => ROW.test(cell));
}

/** `test`, also as `test.each(rows)` or `test.describe`, but none that is skipped. */
function isTestFunction(callee: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(callee) && ["skip", "todo", "fixme"].includes(callee.name.text)) return false;
  if (ts.isIdentifier(callee)) return ["describe", "it", "test"].includes(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isTestFunction(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isTestFunction(callee.tag);
}

/** The text of a string or template, with `%s` for what is only known when it runs. */
function literalText(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `%s${literal.text}`).join("");
}

/**
 * The rows that a test file cites: `[A1]`, `[A1, A2]` or `[A1] [A2]` at the end of a test's name. Where a placeholder
 * stands there, as in a table of cases, they are the strings of the file that are ids.
 */
function citationsIn(path: string): Set<string> {
  const cited = new Set<string>();
  const strings: string[] = [];
  let hasPlaceholder = false;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) strings.push(node.text);
    const name = ts.isCallExpression(node) && isTestFunction(node.expression) ? literalText(node.arguments[0]) : "";
    const brackets = /(?:\s*\[[^[\]]*\])+$/.exec(name ?? "")?.[0] ?? "";
    for (const word of brackets.split(/[\s,[\]]+/)) {
      if (ROW.test(word)) cited.add(word);
      if (/^[%$]/.test(word)) hasPlaceholder = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text(path), ts.ScriptTarget.Latest));
  if (hasPlaceholder) for (const id of strings.filter((string) => ROW.test(string))) cited.add(id);
  return cited;
}

const rows = ["docs/requirements.md", "docs/security/threats.md"].flatMap(rowsOf);
const citations = filesIn("tests", /\.(test|spec)\.tsx?$/).map((path) => ({ path, ids: citationsIn(path) }));

describe("requirements and threats", () => {
  test("have unique ids", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((id, index) => rows.indexOf(id) !== index)).toEqual([]);
  });

  test("are each cited by a test", () => {
    const cited = new Set(citations.flatMap(({ ids }) => [...ids]));
    expect(
      rows.filter((id) => !cited.has(id)),
      "Rows that no test cites at the end of its name",
    ).toEqual([]);
  });

  test("include every row that a test cites", () => {
    const known = new Set(rows);
    const unknown = citations.flatMap(({ path, ids }) =>
      [...ids].filter((id) => !known.has(id)).map((id) => `${id} in ${path}`),
    );
    expect(unknown, "Cited rows that no document has").toEqual([]);
  });
});

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has, by chapter; they are numbered from 1. */
const ASVS = [
  [2, 9, 11, 3, 2],
  [3, 3, 4, 1],
  [0, 2, 4, 6, 5, 0, 2],
  [3, 1, 2, 4],
  [1, 3, 2, 3],
  [3, 12, 4, 4, 5, 3, 0, 4],
  [3, 4, 2, 5, 2, 2],
  [2, 3, 1, 1],
  [3, 4],
  [2, 2, 4, 11, 5, 2, 3],
  [2, 3, 3, 4, 1, 1],
  [3, 2, 4],
  [1, 5, 2, 5],
  [2, 4, 3],
  [3, 3, 7],
  [1, 5, 4, 3, 3],
  [1, 4, 2],
];

describe("the OWASP ASVS table", () => {
  const rowsIn = (words: string) => words.replace(/`[^`]*`/g, "").match(/\b[A-Z]\d{1,2}\b/g) ?? [];
  const answers = linesOf("docs/security/asvs.md").flatMap(({ text: line }) => {
    const [, numbers = "", met = "", how = ""] = line.split("|").map((cell) => cell.trim());
    return /^\d/.test(numbers) ? [{ numbers: numbers.split(", "), met, how }] : [];
  });

  test("answers each requirement of levels 1 and 2 with whether it is met, and how or why not", () => {
    const requirements = ASVS.flatMap((sections, chapter) =>
      sections.flatMap((count, section) =>
        Array.from({ length: count }, (_, index) => `${chapter + 1}.${section + 1}.${index + 1}`),
      ),
    );
    expect(requirements).toHaveLength(253);
    const named = answers.flatMap(({ numbers }) => numbers);
    const isPart = (requirement: string, number: string) => `${requirement}.`.startsWith(`${number}.`);
    for (const requirement of requirements) {
      expect(named.filter((number) => isPart(requirement, number)).length, requirement).toBe(1);
    }
    expect(named.filter((number) => !requirements.some((requirement) => isPart(requirement, number)))).toEqual([]);
    for (const { numbers, met, how } of answers) {
      expect(["yes", "partly", "no", "console", "operator", "n/a"], numbers[0]).toContain(met);
      expect(how, numbers[0]).not.toBe("");
    }
  });

  test("cites rows that exist", () => {
    const known = new Set(rows);
    const named = linesOf("docs/security/asvs.md").flatMap(({ text: line }) => rowsIn(line));
    expect(new Set(named).size).toBeGreaterThan(80);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });
});

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function anchorsIn(path: string): string[] {
  return linesOf(path).flatMap(({ text: line }) => /^#+ (.*)$/.exec(line)?.slice(1).map(anchorOf) ?? []);
}

/** Why a link is broken; undefined for a working link and for a link out of the repository. */
function broken(document: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(root, target))) return `${document}: ${link}`;
  const hasAnchor = anchor === undefined || anchorsIn(target).includes(anchor);
  return hasAnchor ? undefined : `${document}: ${link} has no such heading`;
}

describe.each(documents)("%s", (document) => {
  const prose = linesOf(document)
    .map((line) => line.text)
    .join("\n");

  test("has links to files and headings that exist", () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image ?? "",
    );
    expect(links.flatMap((link) => broken(document, link) ?? [])).toEqual([]);
  });

  test("names files that exist in the repository", () => {
    const named = [...prose.matchAll(/`((?:\.ci|app|docs|functions|public|tests|tools)\/[^`\s*{}…]*)`/g)];
    const paths = named.map(([, path = ""]) => path).filter((path) => !path.startsWith("public/build"));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names npm commands that exist", () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(text("package.json")));
    const named = [...text(document).matchAll(/npm run ([\w:-]*\w)/g)].map(([, script = ""]) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

describe("the configuration tables", () => {
  test.each([
    ["The site", siteSettings],
    ["The subscription API", apiSettings],
  ])("%s: exactly the settings that the code reads", (heading, { shape }) => {
    expect(codesUnder("docs/configuration.md", heading)).toEqual(Object.keys(shape).sort());
  });
});

describe("the tables of log events", () => {
  test.each([
    ["Events of the site", ["app"]],
    ["Events of the subscription API", ["functions/subscription-api", "app/shared"]],
  ])("%s: exactly the events that the code logs", (heading, folders) => {
    const code = folders
      .flatMap((folder) => filesIn(folder, /\.tsx?$/))
      .map(text)
      .join("\n");
    const calls = code.matchAll(/\blog(?:\.\w+)?\(\s*(?:"(?:info|warn|error)",\s*)?"(\w+)"/g);
    const logged = [...calls].map(([, event = ""]) => event);
    const documented = codesUnder("docs/operations.md", heading);
    expect(
      logged.filter((event) => !documented.includes(event)),
      "Events that the table lacks",
    ).toEqual([]);
    expect(
      documented.filter((event) => !code.includes(`"${event}"`)),
      "Events that nothing logs",
    ).toEqual([]);
  });
});
