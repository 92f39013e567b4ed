import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
