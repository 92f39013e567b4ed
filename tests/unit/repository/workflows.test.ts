import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/* The workflows of the public repository: who may set them off, and whose code they run beside a secret. */

const folder = fileURLToPath(new URL("../../../.github/workflows", import.meta.url));
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** The jobs of a workflow: their names and their lines. */
function jobsOf(text: string): Map<string, string> {
  const [, jobs = ""] = text.split(/^jobs:\n/m);
  const blocks = jobs.split(/^ {2}(?=[\w-]+:$)/m).filter((block) => block.trim() !== "");
  return new Map(blocks.map((block) => [block.slice(0, block.indexOf(":")), block]));
}

type Event = Record<string, string>;

/** Whether a job's `if` holds: comparisons joined by `&&`, of which a text in another form holds for nobody. */
function runsFor(job: string, event: Event): boolean {
  const [, condition = ""] = /^ {4}if: >-\n((?: {6}.*\n)+)/m.exec(job) ?? [];
  const meaningOf = (term: string) => /^'([^']*)'$/.exec(term)?.[1] ?? event[term];
  return condition.split("&&").every((comparison) => {
    const [left = "", right = "", ...more] = comparison.split("==").map((term) => term.trim());
    return more.length === 0 && meaningOf(left) !== undefined && meaningOf(left) === meaningOf(right);
  });
}

const deploy = jobsOf(workflows.find(({ name }) => name === "deploy.yml")?.text ?? "");

const OWN_PUSH: Event = {
  "vars.HAS_STAGING": "true",
  "github.event_name": "workflow_run",
  "github.ref": "refs/heads/main",
  "github.repository": "owner/site",
  "github.event.workflow_run.conclusion": "success",
  "github.event.workflow_run.event": "push",
  "github.event.workflow_run.head_branch": "main",
  "github.event.workflow_run.head_repository.full_name": "owner/site",
};
const FORK = { "github.event.workflow_run.head_repository.full_name": "stranger/site" };
const PULL_REQUEST = { "github.event.workflow_run.event": "pull_request" };
const BY_HAND: Event = {
  "github.event_name": "workflow_dispatch",
  "github.ref": "refs/heads/main",
  "github.repository": "owner/site",
};

describe("the deployment workflow", () => {
  test.each<[string, Event, string[]]>([
    ["a push to the repository's own main, whose tests passed", OWN_PUSH, ["staging"]],
    ["a pull request from a fork's main", { ...OWN_PUSH, ...PULL_REQUEST, ...FORK }, []],
    ["a push that a fork made", { ...OWN_PUSH, ...FORK }, []],
    ["a pull request within the repository", { ...OWN_PUSH, ...PULL_REQUEST }, []],
    ["a push to another branch", { ...OWN_PUSH, "github.event.workflow_run.head_branch": "main2" }, []],
    ["a push where no staging is set up", { ...OWN_PUSH, "vars.HAS_STAGING": "" }, []],
    ["a push whose tests failed", { ...OWN_PUSH, "github.event.workflow_run.conclusion": "failure" }, []],
    ["a person, from main", BY_HAND, ["production"]],
    ["a person, from another branch", { ...BY_HAND, "github.ref": "refs/heads/other" }, []],
  ])("runs only the allowed jobs for %s [H30]", (_, event, expected) => {
    const jobs = [...deploy].filter(([, job]) => runsFor(job, event)).map(([name]) => name);
    expect(jobs).toEqual(expected);
  });

  test("deploys the exact tested commit, and leaves no token in the checkout [H30]", () => {
    expect([...deploy.keys()]).toEqual(["staging", "production"]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's.
    expect(deploy.get("staging")).toContain("ref: ${{ github.event.workflow_run.head_sha }}");
    for (const job of deploy.values()) expect(job).toContain("persist-credentials: false");
  });
});

describe.each(workflows)("$name", ({ name, text }) => {
  test("uses actions pinned to commits [H30]", () => {
    const uses = [...text.matchAll(/^\s*(?:- )?uses: *(.*)$/gm)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("gives secrets only to jobs with an environment, and none to pull requests from forks [H30]", () => {
    expect(text).not.toMatch(/pull_request_target|issue_comment/);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    for (const [job, lines] of jobsOf(text)) {
      expect([job, /\bsecrets\b/.test(lines)]).toEqual([job, /^ {4}environment: \w+$/m.test(lines)]);
    }
    if (name !== "deploy.yml") expect(text).not.toContain("workflow_run");
  });

  test("inserts no event value into a script [H30]", () => {
    const scripts = text.split("\n").filter((line) => /^\s*(- )?run:/.test(line));
    for (const script of scripts) expect(script).not.toMatch(/\$\{\{(?! matrix\.)/);
  });
});
