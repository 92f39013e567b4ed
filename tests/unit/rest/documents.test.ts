import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { HANDBOOK, withTables } from "../../../tools/documents";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);
/** Without code blocks. */
const proseOf = (path: string) => textOf(path).replace(/^```.*?^```$/gms, "");

/** As GitHub makes them of headings. */
function anchorsIn(path: string): string[] {
  return [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** False for a link to a file or heading that does not exist. Links to other hosts are not followed. */
function leadsSomewhere(document: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? document : join(dirname(document), path);
  return existsSync(join(root, target)) && (anchor === undefined || anchorsIn(target).includes(anchor));
}

describe.each(documents)("%s", (document) => {
  test("has links to files and headings that exist", () => {
    const links = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  test("names files that exist in the repository", () => {
    const named = proseOf(document).matchAll(
      /`((?:\.ci|\.github|app|docs|functions|public|tests|tools)\/[^`\s*{}…]*)`/g,
    );
    const paths = [...named].map(([, path = ""]) => path).filter((path) => !path.startsWith("public/build"));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names npm commands that exist", () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(textOf("package.json")));
    const named = [...textOf(document).matchAll(/npm run ([\w:-]*\w)/g)].map(([, script = ""]) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test("the handbook's tables of settings and log events are as npm run docs writes them", () => {
  expect(withTables(textOf(HANDBOOK))).toBe(textOf(HANDBOOK));
});
