import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keepWorker } from "./kept-worker";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What starts built Workers in the edge tests; here their sources run in the process of the test. */
const IN_PROCESS: [module: RegExp, instead: string][] = [
  [/^\.{1,2}\/(?:.*\/)?miniflare$/, here("in-process/worker.ts")],
  [/^(?:.*\/)?fast-api\/build$/, here("in-process/fast-api.ts")],
  [/^wrangler$/, here("in-process/settings.ts")],
  [/^cloudflare:workers$/, here("in-process/entrypoint.ts")],
];

const inProcess: Plugin = {
  name: "in-process",
  enforce: "pre",
  configureVitest: keepWorker,
  resolveId(source, importer) {
    if (importer?.endsWith("read-settings.ts")) return undefined;
    return IN_PROCESS.find(([module]) => module.test(source))?.[1];
  },
  // A stylesheet is a URL here, and the legal texts are not asked for.
  load(id) {
    if (/\.css$/.test(id)) return 'export default "/build/a-stylesheet.css"';
    if (/\.mdx$/.test(id)) return "export const attributes = {}, tableOfContents = []; export default () => null";
    return undefined;
  },
};

/** What is quick first: a mutant is done with when one test fails. */
class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (moduleId.includes("/tests/unit/") ? 0 : 1);
    return files.sort((one, other) => rank(one) - rank(other));
  }
}

/** The tests by which mutants are judged: all that run in one process. */
export default defineConfig({
  root: here("../../"),
  plugins: [inProcess],
  test: {
    include: ["tests/unit/**/*.test.ts", ...edgeTests()],
    // These read the repository's own files, or start other processes.
    exclude: [
      "tests/unit/repository/{documents,dependencies,dangerous-code,capacity}.test.ts",
      "tests/unit/{tools/{stripe-schema,npm-test,wrangler-commands},signup/stripe-js}.test.ts",
    ],
    globalSetup: here("in-process/read-settings.ts"),
    setupFiles: here("in-process/set-up.ts"),
    isolate: false,
    // All run in one process.
    restoreMocks: true,
    maxWorkers: 1,
    sequence: { sequencer: UnitTestsFirst },
    testTimeout: 10_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 1_500, interval: 10 } },
  },
});

function edgeTests(): string[] {
  return [
    "tests/edge/{api,bots,deployment,failures,sign-up,trials}/*.test.ts",
    "tests/edge/site/{request-guard,urls,form-page-cache,rate-limit,bodies}.test.ts",
  ];
}
