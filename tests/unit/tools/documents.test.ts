import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXAMPLES, HANDBOOK, withTables } from "../../../tools/documents";
import { root } from "../../../tools/wrangler/wrangler";
import { filesIn } from "../../support/files-in";

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

describe.each(documents)("%s", (document) => {
  test("has links that lead somewhere", () => {
    const links = all(proseOf(document), /\]\(([^)\s]+)\)/g);
    expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  test("names files that exist", () => {
    const paths = all(proseOf(document), /`((?:\.ci|\.github|app|docs|functions|public|tests|tools)\/[^`\s*{}…]*)`/g);
    // What a build writes may not be there.
    const kept = paths.filter((path) => !path.startsWith("public/build"));
    expect(kept.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names npm commands that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json"));
    const commands = all(textOf(document), /npm run ([\w:-]*\w)/g);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("the handbook's tables of settings are as npm run docs writes them", () => {
  expect(withTables(textOf(HANDBOOK))).toBe(textOf(HANDBOOK));
});

test.each(Object.keys(EXAMPLES))("%s is as npm run docs writes it", (path) => {
  expect(textOf(path)).toBe(EXAMPLES[path]?.());
});

const code = ["app", "functions/subscription-api"]
  .flatMap(filesIn)
  .filter((name) => /\.tsx?$/.test(name))
  .map(textOf)
  .join("\n");

test("the handbook's alerts and funnel name events that the Workers log", () => {
  const named = all(textOf(HANDBOOK), /event (?:= |in \()([\w, ]+)/g).flatMap((names) => names.split(/, | and /));
  const events = named.filter((name) => /^[a-z]+(?:_[a-z]+)*$/.test(name));
  expect(events.length).toBeGreaterThan(15);
  expect(events.filter((event) => !code.includes(`"${event}"`))).toEqual([]);
});

test("each warning and error that the Workers log is in the handbook's alerts", () => {
  const logged = [
    ...all(code, /\.(?:warn|error|failure)\("([a-z_]+)"/g),
    ...all(code, /\blogFailure\("([a-z_]+)"/g),
    ...all(code, /\blog(?:\(|: \[)(?:[^"]*\? "error" : )?"(?:warn|error)", "([a-z_]+)"/g),
  ];
  const [, alerts = ""] = /^### Alerts$(.*?)^### /ms.exec(textOf(HANDBOOK)) ?? [];
  expect(logged.length).toBeGreaterThan(25);
  expect(logged.filter((event) => !new RegExp(`\\b${event}\\b`).test(alerts))).toEqual([]);
});
