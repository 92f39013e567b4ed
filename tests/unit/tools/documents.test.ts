import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { HANDBOOK, withTables } from "../../../tools/documents";
import { root } from "../../../tools/wrangler/wrangler";

const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const inDocs = readdirSync(join(root, "docs")).map((name) => `docs/${name}`);
const documents = ["README.md", ...inDocs].filter((path) => path.endsWith(".md"));

/** Without code blocks. */
const proseOf = (path: string) => textOf(path).replace(/^```.*?^```$/gms, "");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** False for a link to a file that does not exist. Links to other hosts and to headings are not followed. */
function leadsSomewhere(document: string, link: string): boolean {
  const [path = ""] = link.split("#");
  return /^[a-z]+:/.test(link) || path === "" || existsSync(join(root, dirname(document), path));
}

test.each(documents)("%s has links, files and npm commands that exist", (document) => {
  const prose = proseOf(document);
  const links = all(prose, /\]\(([^)\s]+)\)/g);
  const files = all(prose, /`((?:\.ci|\.github|app|docs|functions|public|tests|tools)\/[^`\s*{}…]*)`/g);
  const lost = files.filter((path) => !path.startsWith("public/build") && !existsSync(join(root, path)));
  const { scripts } = JSON.parse(textOf("package.json"));
  const commands = all(textOf(document), /npm run ([\w:-]*\w)/g).filter((name) => !(name in scripts));
  expect([links.filter((link) => !leadsSomewhere(document, link)), lost, commands]).toEqual([[], [], []]);
});

test("the handbook's tables of settings and log events are as npm run docs writes them", () => {
  expect(withTables(textOf(HANDBOOK))).toBe(textOf(HANDBOOK));
});
