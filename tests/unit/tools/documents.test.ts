import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { scripts } from "../../../package.json";
import { INSTALL_CHROMIUM } from "../../../tools/chromium";
import { EXAMPLES, HANDBOOK, withLists } from "../../../tools/documents";
import { root } from "../../../tools/wrangler/wrangler";
import { filesIn } from "../../support/files-in";

/* What documents and workflows name by hand exists. */

const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);
/** Written by commands, or not in a zip of the repository. */
const isOutput = (path: string) => /^(build|public\/build|\.git)(\/|$)|\.wrangler/.test(path);
const exists = (path: string) => isOutput(path) || existsSync(join(root, path));

const FOLDERS = [".ci", ".github", "app", "docs", "functions", "public", "tests", "tools"];
const files = [
  ...readdirSync(root).filter((name) => statSync(join(root, name)).isFile()),
  ...FOLDERS.flatMap(filesIn),
].filter((path) => !isOutput(path) && statSync(join(root, path)).isFile());

const documents = files.filter((path) => path === "README.md" || /^docs\/[^/]+\.md$/.test(path));

test.each(documents)("%s has links that lead somewhere, and names files and npm commands that exist", (document) => {
  const text = textOf(document);
  const prose = text.replace(/^```.*?^```$/gms, "");
  // Links to other hosts and to headings are not followed.
  const links = all(prose, /\]\((?![a-z]+:)([^)\s#]+)[^)\s]*\)/g);
  const paths = all(prose, /`((?:\.ci|\.github|app|docs|functions|public|tests|tools)\/[^`\s*{}…]*)`/g);
  const commands = all(text, /npm run (?:-s )?([\w:-]*\w)/g);
  expect({
    links: links.filter((link) => !exists(join(dirname(document), link))),
    paths: paths.filter((path) => !exists(path)),
    commands: commands.filter((name) => !(name in scripts)),
  }).toEqual({ links: [], paths: [], commands: [] });
  expect(paths.length + links.length).toBeGreaterThan(0);
});

test("the handbook's lists of settings and both .dev.vars.example are as npm run docs writes them", () => {
  expect(withLists(textOf(HANDBOOK))).toBe(textOf(HANDBOOK));
  for (const [path, write] of Object.entries(EXAMPLES)) expect(textOf(path), path).toBe(write());
});

test("the handbook's alerts and funnel name events that the Workers log, and its alerts each warning and error", () => {
  const code = ["app", "functions/subscription-api"]
    .flatMap(filesIn)
    .filter((name) => /\.tsx?$/.test(name))
    .map(textOf)
    .join("\n");
  const handbook = textOf(HANDBOOK);
  const named = all(handbook, /event (?:= |in \()([\w, ]+)/g).flatMap((names) => names.split(/, | and /));
  const events = named.filter((name) => /^[a-z]+(?:_[a-z]+)*$/.test(name));
  expect(events.length).toBeGreaterThan(15);
  expect(events.filter((event) => !code.includes(`"${event}"`))).toEqual([]);

  const logged = [
    ...all(code, /\.(?:warn|error|failure)\("([a-z_]+)"/g),
    ...all(code, /\blogFailure\("([a-z_]+)"/g),
    ...all(code, /\blog(?:\(|: \[)(?:[^"]*\? "error" : )?"(?:warn|error)", "([a-z_]+)"/g),
  ];
  const [, alerts = ""] = /^### Alerts$(.*?)^### /ms.exec(handbook) ?? [];
  expect(logged.length).toBeGreaterThan(25);
  expect(logged.filter((event) => !new RegExp(`\\b${event}\\b`).test(alerts))).toEqual([]);
});

test("no file has more than 250 lines", () => {
  const code = files.filter((path) => /\.(tsx?|mjs)$/.test(path));
  expect(code.length).toBeGreaterThan(300);
  expect(code.filter((path) => textOf(path).trimEnd().split("\n").length > 250)).toEqual([]);
});

const workflows = files.filter((path) => path.startsWith(".github/workflows/"));

test.each(workflows)("%s names what exists", (path) => {
  const workflow = textOf(path);
  const missing = {
    scripts: all(workflow, /npm run ([\w:-]*\w)/g).filter((name) => !(name in scripts)),
    files: all(workflow, /node-version-file: (\S+)/g).filter((name) => !existsSync(join(root, name))),
    testFilters: all(workflow, /test:unit -- ([\w/-]+)/g).filter((name) => !files.some((file) => file.includes(name))),
    workflowFiles: all(workflow, /--workflow (\S+)/g).filter((name) => !workflows.some((file) => file.endsWith(name))),
    workflowNames: all(workflow, /workflows: \[(.+)\]/g).filter(
      (name) => !workflows.some((file) => textOf(file).startsWith(`name: ${name}\n`)),
    ),
  };
  expect(missing).toEqual({ scripts: [], files: [], testFilters: [], workflowFiles: [], workflowNames: [] });
});

test("Playwright's installer for Chromium exists, and says what it installs where", () => {
  const [program = "", ...args] = INSTALL_CHROMIUM;
  const { stdout, stderr } = spawnSync(program, [...args, "--dry-run"], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/chromium[\s\S]*Install location:/i);
});
